// Exact numbers, random bits, and exact selection.
#pragma once

#include <atomic>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "fractile/error.hpp"

namespace fractile {

namespace detail {
class CheckpointsOfThread;  // src/exact/checkpoint.hpp
}  // namespace detail

// --- Numbers ---------------------------------------------------------------------------------------------------------
//
// Exact numbers: rationals, and the reals c and c*ln(r) in which privacy levels are stated.

namespace detail {
struct Flint;  // the rooms that compute with FLINT read a Rational's words as its fmpq: src/exact/flint.hpp
}  // namespace detail

/// The built-in whole numbers: no bool, and no character.
template <class T>
concept WholeNumber = std::integral<T> && sizeof(T) <= sizeof(std::int64_t) && !std::same_as<T, bool> &&
                      !std::same_as<T, char> && !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                      !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

/// An exact rational number, always in lowest terms. Powers that would have more than 2^31 binary digits are refused before they are formed.
/// A moved-from Rational is some valid number.
/// Thread-safety: a value; threads may share it while none changes it.
class Rational {
 public:
  Rational() = default;
  template <WholeNumber Whole>
  Rational(Whole value) {  // NOLINT(google-explicit-constructor): integers are rationals
    if constexpr (std::signed_integral<Whole>) {
      if (std::int64_t{value} >= -largest_in_place && std::int64_t{value} <= largest_in_place) {
        words_[0] = value;
      } else {
        set(std::int64_t{value});
      }
    } else if (std::uint64_t{value} <= std::uint64_t{largest_in_place}) {
      words_[0] = static_cast<std::int64_t>(value);
    } else {
      set(std::uint64_t{value});
    }
  }
  /// Throws `usage` when the denominator is zero.
  template <WholeNumber Numerator, WholeNumber Denominator>
  Rational(Numerator numerator, Denominator denominator) : Rational(numerator) {
    *this /= Rational(denominator);
  }
  /// A floating-point number is rarely the number that was meant: use parse(), or from_double().
  template <std::floating_point Real>
  Rational(Real value) = delete;
  Rational(const Rational& other) : words_{other.words_[0], other.words_[1]} {
    if (!is_in_place()) copy(other);
  }
  Rational(Rational&& other) noexcept { swap(other); }
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment,cert-oop54-cpp): both ways allow it
  Rational& operator=(const Rational& other) {
    if (is_in_place() && other.is_in_place()) {
      words_[0] = other.words_[0];
      words_[1] = other.words_[1];
    } else {
      assign(other);
    }
    return *this;
  }
  Rational& operator=(Rational&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Rational() {
    if (!is_in_place()) clear();
  }

  /// Reads "3", "-0.25", "1/3", "1e-3", "2.5e2". Throws `usage` for anything else, for a zero denominator, and for
  /// more than 10,000 digits. Nothing passes through floating point.
  static Rational parse(std::string_view text);
  /// The exact value of a finite double. Throws `usage` for NaN and infinities.
  static Rational from_double(double value);
  /// value * 2^exponent. Throws `usage` when |exponent| exceeds 2^31.
  static Rational dyadic(std::int64_t value, std::int64_t exponent);

  Rational operator-() const;
  Rational& operator+=(const Rational& other);
  Rational& operator-=(const Rational& other);
  Rational& operator*=(const Rational& other);
  /// Throws `usage` when `other` is zero.
  Rational& operator/=(const Rational& other);
  friend Rational operator+(Rational a, const Rational& b) { return a += b; }
  friend Rational operator-(Rational a, const Rational& b) { return a -= b; }
  friend Rational operator*(Rational a, const Rational& b) { return a *= b; }
  friend Rational operator/(Rational a, const Rational& b) { return a /= b; }
  friend bool operator==(const Rational& a, const Rational& b) {
    if (a.is_in_place() || b.is_in_place()) return a.words_[0] == b.words_[0] && a.words_[1] == b.words_[1];
    return a.equals(b);
  }
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

  /// -1, 0 or 1.
  int sign() const {
    return holds_its_value(words_[0]) ? (words_[0] > 0 ? 1 : 0) - (words_[0] < 0 ? 1 : 0) : sign_of_memory();
  }
  bool is_integer() const { return words_[1] == 1; }
  Rational floor() const;
  Rational ceil() const;
  Rational numerator() const { return is_in_place() ? Rational(words_[0]) : part_of_memory(0); }
  Rational denominator() const { return is_in_place() ? Rational(words_[1]) : part_of_memory(1); }
  /// this^exponent for any integer exponent. Throws `usage` for 0 to a negative power, and for a result that may have more than 2^31 binary
  /// digits.
  Rational pow(std::int64_t exponent) const;

  /// True when the value is an integer that fits.
  bool fits_int64() const;
  bool fits_uint64() const { return is_in_place() ? words_[0] >= 0 && is_integer() : fits_uint64_of_memory(); }
  /// The value; throws `internal` when it does not fit.
  std::int64_t to_int64() const;
  std::uint64_t to_uint64() const {
    return is_in_place() && fits_uint64() ? static_cast<std::uint64_t>(words_[0]) : to_uint64_of_memory();
  }
  /// The nearest double, ties to even. For display and filters only: no decision rests on it.
  double to_double() const;
  /// "7/2", or "7" for an integer.
  std::string to_string() const;
  /// True when the decimal expansion ends, that is when the denominator is 2^a 5^b.
  bool is_decimal() const;
  /// All decimals, "0.125". Throws `usage` unless is_decimal().
  std::string to_decimal() const;

 private:
  friend struct detail::Flint;

  /// The largest numerator or denominator that a word holds itself. Larger ones are in memory, of which the word says where: FLINT marks
  /// such words by the two highest bits, 01.
  static constexpr std::int64_t largest_in_place = (std::int64_t{1} << 62) - 1;
  static bool holds_its_value(std::int64_t word) { return word >> 62 != 1; }
  /// Most rationals have no memory besides their words, and are copied often.
  bool is_in_place() const { return holds_its_value(words_[0]) && holds_its_value(words_[1]); }
  void swap(Rational& other) noexcept {
    std::swap(words_[0], other.words_[0]);
    std::swap(words_[1], other.words_[1]);
  }
  // For numbers with memory.
  void set(std::int64_t value);
  void set(std::uint64_t value);
  void copy(const Rational& other);
  void assign(const Rational& other);
  void clear() noexcept;
  bool equals(const Rational& other) const;
  int sign_of_memory() const;
  Rational part_of_memory(std::size_t word) const;
  bool fits_uint64_of_memory() const;
  std::uint64_t to_uint64_of_memory() const;

  std::int64_t words_[2] = {0, 1};  // numerator and denominator, laid out as FLINT's fmpq
};

/// The largest rational with at most `bits` significant bits whose square is <= value; exact when value is a square of
/// such a number. Requires value >= 0.
Rational sqrt_down(const Rational& value, int bits = 48);

/// An exact non-negative real number c or c*ln(r), c and r rational: a privacy level, or the rate of an exponential law.
/// Thread-safety: a value; threads may share it while none changes it.
class Exponent {
 public:
  Exponent() = default;
  /// c; throws `usage` when negative.
  Exponent(Rational c);  // NOLINT(google-explicit-constructor): a rational is an exponent
  Exponent(const Exponent& other) = default;
  Exponent& operator=(const Exponent& other) = default;
  /// A moved-from Exponent is some valid exponent.
  Exponent(Exponent&& other) noexcept
      : coefficient_(std::move(other.coefficient_)),
        argument_(std::move(other.argument_)),
        is_log_(std::exchange(other.is_log_, false)) {}
  Exponent& operator=(Exponent&& other) noexcept {
    std::swap(coefficient_, other.coefficient_);
    std::swap(argument_, other.argument_);
    std::swap(is_log_, other.is_log_);
    return *this;
  }
  ~Exponent() = default;
  /// c * ln(r) with c >= 0 and r >= 1; throws `usage` otherwise.
  static Exponent log(Rational r, Rational c = 1);
  /// Reads what Rational::parse reads, and "ln 3", "ln(3.5)", "2 ln 3", "ln 7/2".
  static Exponent parse(std::string_view text);

  bool is_zero() const { return coefficient_.sign() == 0; }
  bool is_log() const { return is_log_; }
  /// c.
  const Rational& coefficient() const { return coefficient_; }
  /// r; only for logarithms.
  const Rational& argument() const { return argument_; }
  /// True when its exponential is rational: for 0, and for c*ln(r) with integer c.
  bool has_rational_exponential() const;
  /// r^c; throws `usage` unless has_rational_exponential(), and as Rational::pow().
  Rational exponential() const;

  Exponent operator*(const Rational& factor) const;
  Exponent operator/(const Rational& divisor) const;
  /// Compares real numbers exactly: ln 9 == 2 ln 3, and 1 < ln 3. Every comparison is decided.
  friend bool operator==(const Exponent& a, const Exponent& b) { return std::is_eq(a <=> b); }
  friend std::strong_ordering operator<=>(const Exponent& a, const Exponent& b);
  /// "1/2", "ln 7/2" or "2/3 ln 7/2"; parse() reads it back if its numbers are no longer than parse() takes.
  std::string to_string() const;
  /// For display.
  double to_double() const;

 private:
  Rational coefficient_;
  Rational argument_ = 1;
  bool is_log_ = false;
};

// --- Random bits -----------------------------------------------------------------------------------------------------
//
// Random bits: the system's, buffered, wiped after use and on fork; or a reproducible stream that says it is unsafe.

/// A stream of independent uniform bits.
/// Thread-safety: not for two threads at once; give each its own.
class RandomBits {
 public:
  /// The operating system's cryptographic generator through OpenSSL (RAND_priv_bytes), 4 KiB at a time. Bits are wiped
  /// as they are used; after a fork the child starts from fresh ones. Throws `internal` when the system has none.
  static RandomBits system();
  /// A reproducible ChaCha20 stream: anyone who knows the seed can undo the privacy. For tests and demonstrations only.
  static RandomBits unsafe_seeded(std::uint64_t seed);
  /// Bits from `fill`, which must fill the whole span or throw: for tests that place bits or make the supply fail. Throws `usage`
  /// without a function.
  static RandomBits from_source(std::function<void(std::span<std::byte>)> fill);

  RandomBits(RandomBits&&) noexcept;
  RandomBits& operator=(RandomBits&&) noexcept;
  ~RandomBits();

  /// A separate stream, independent of the bits that this one has left. A system stream yields another system stream. A
  /// reproducible stream yields one that is keyed by its next 256 bits, and is equally unsafe. A stream from from_source() yields
  /// nothing, since two threads must not call its function at once.
  std::optional<RandomBits> split();
  /// Several such streams; none where split() yields nothing.
  std::vector<RandomBits> split(std::size_t streams);
  /// 64 independent uniform bits.
  std::uint64_t next64();
  /// The seed, when the stream is reproducible.
  std::optional<std::uint64_t> unsafe_seed() const;

 private:
  struct Pool;
  explicit RandomBits(std::unique_ptr<Pool> pool);
  std::unique_ptr<Pool> pool_;
};

// --- Selection -------------------------------------------------------------------------------------------------------
//
// Exact selection: one of k candidates with probability proportional to L_k exp(-rate * s_k), given perfect bits.
// Source: "make_base_discrete_exponential" (gumbel-max 2023), equations (2)-(4); proof: docs/proofs/selection.md.
// Thread-safety: functions of their arguments, each thread with random bits of its own.

/// Which scores are favored: maximize draws with weight exp(+rate * s), minimize with exp(-rate * s).
enum class Optimize { minimize, maximize };

/// Draws index k with probability exactly proportional to exp(-rate * scores[k]) (or exp(+rate * scores[k])).
/// `rate` is 1/temperature in nats per unit of score; rate 0 draws uniformly. Time O(k); no allocation up to k = 32,768, k/64 bytes beyond.
/// Throws `usage` when `scores` is empty.
std::size_t select_softmax(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                           Optimize optimize = Optimize::minimize);

/// The same law with multiplicities: weight lengths[k] * exp(-rate * scores[k]); zero lengths are never drawn. Throws
/// `usage` unless the sum of the lengths is positive and below 2^63.
std::size_t select_softmax(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths,
                           const Exponent& rate, RandomBits& bits, Optimize optimize = Optimize::minimize);

/// The same law for rational scores of any size.
std::size_t select_softmax(std::span<const Rational> scores, const Exponent& rate, RandomBits& bits,
                           Optimize optimize = Optimize::minimize);

/// Permute-and-flip (McKenna and Sheldon 2020): indices in uniformly random order, each kept with probability
/// exp(-rate * gap), gap its distance from the best score; the first kept one is drawn. This is another law than softmax.
/// Proof: docs/proofs/permute_and_flip.md
std::size_t select_permute_and_flip(std::span<const std::uint64_t> scores, const Exponent& rate, RandomBits& bits,
                                    Optimize optimize = Optimize::minimize);
std::size_t select_permute_and_flip(std::span<const Rational> scores, const Exponent& rate, RandomBits& bits,
                                    Optimize optimize = Optimize::minimize);

/// The paper's own formulation and the reference for the others: a Gumbel variable per candidate, its bits drawn only
/// until the largest is known (gumbel-max 2023, section 1, equation (4)). Slow. `lengths` may be empty (all ones).
std::size_t select_gumbel(std::span<const std::uint64_t> scores, std::span<const std::uint64_t> lengths,
                          const Exponent& rate, RandomBits& bits, Optimize optimize = Optimize::minimize);

// --- Stopping --------------------------------------------------------------------------------------------------------

/// While it lives, computations on this thread that may take long call `look` many times a second: channels, expected losses, verdicts,
/// plans and audits. An exception that `look` throws ends the computation, on all threads that share it. A release draws without looking:
/// its Attendant says when it may end.
/// Thread-safety: for the thread that made it. Scopes nest, and the innermost is in force.
class Checkpoints {
 public:
  explicit Checkpoints(std::function<void()> look);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;
  ~Checkpoints();

 private:
  friend class detail::CheckpointsOfThread;

  void look();

  std::function<void()> look_;
  std::thread::id asker_ = std::this_thread::get_id();
  std::atomic<bool> is_stopped_ = false;
  std::exception_ptr failure_;  ///< what `look` threw; set before is_stopped_
  Checkpoints* outer_;
};

}  // namespace fractile

// --- Enclosed numbers ------------------------------------------------------------------------------------------------
//
// Real numbers that are enclosed by two rationals.
// Thread-safety: values; threads may share them while none changes one.

namespace fractile::flow {

/// A real number between two rationals.
struct RealBounds {
  Rational lower;
  Rational upper;
  /// The digits that both ends agree on, rounded: "3.500545"; at most `digits` after the point. If the ends differ by more than that,
  /// the digits stand before a power of ten, "1235e3"; if no digit agrees, both ends are written, rounded outwards: "-0.9..0.9".
  std::string to_decimal(int digits) const;
};

/// Odds, exp(epsilon). Only Exponents are epsilons, and only Odds are odds: a number alone might be either, and is not converted.
/// Functions of odds throw `usage` for odds below 1.
/// Thread-safety: a value; threads may share it while none changes it.
class Odds {
 public:
  explicit Odds(Rational odds) : odds_(std::move(odds)) {}

  const Rational& value() const { return odds_; }

 private:
  Rational odds_;
};

/// exp(epsilon) between two rationals that are equal when it is rational. Throws `usage` for an epsilon above 10,000, and when exp(epsilon)
/// is a fraction of more than a million binary digits.
RealBounds odds_bounds(const Exponent& epsilon);

}  // namespace fractile::flow
