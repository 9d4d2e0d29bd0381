// The exact sampler as the gumbel-max paper writes it, in MPFR: every comparison computes both ends of both variables
// afresh, with directed rounding, and draws 64 more bits of each until they part.
#include <mpfr.h>

#include <utility>

#include "contenders.hpp"
#include "fractile/exact.hpp"
#include "selection_cases.hpp"

namespace fractile::bench {
namespace {

class Real {
 public:
  explicit Real(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

/// shift - ln(-ln U), the bits of U drawn so far as an integer.
class GumbelPsrn {
 public:
  explicit GumbelPsrn(double shift) : shift_(shift) { mpz_init(bits_); }
  GumbelPsrn(GumbelPsrn&& other) noexcept : shift_(other.shift_), length_(other.length_) {
    mpz_init(bits_);
    mpz_swap(bits_, other.bits_);
  }
  GumbelPsrn& operator=(GumbelPsrn&& other) noexcept {
    mpz_swap(bits_, other.bits_);
    std::swap(shift_, other.shift_);
    std::swap(length_, other.length_);
    return *this;
  }
  ~GumbelPsrn() { mpz_clear(bits_); }

  void refine(RandomBits& random) {
    mpz_mul_2exp(bits_, bits_, 64);
    mpz_add_ui(bits_, bits_, random.next64());
    length_ += 64;
  }

  /// The variable at the lower or upper end of what is known of U, rounded outwards.
  void edge(bool upper, Real& result) const {
    const mpfr_rnd_t out = upper ? MPFR_RNDU : MPFR_RNDD;
    const mpfr_rnd_t in = upper ? MPFR_RNDD : MPFR_RNDU;
    mpfr_set_z(result.get(), bits_, out);
    if (upper) mpfr_add_ui(result.get(), result.get(), 1, out);
    mpfr_div_2ui(result.get(), result.get(), length_, out);
    mpfr_log(result.get(), result.get(), out);
    mpfr_neg(result.get(), result.get(), in);
    mpfr_log(result.get(), result.get(), in);
    mpfr_neg(result.get(), result.get(), out);
    mpfr_add_d(result.get(), result.get(), shift_, out);
  }

  static bool greater_than(GumbelPsrn& a, GumbelPsrn& b, RandomBits& random) {
    for (;;) {
      if (a.length_ == 0) a.refine(random);
      if (b.length_ == 0) b.refine(random);
      Real a_low(a.precision());
      Real a_high(a.precision());
      Real b_low(b.precision());
      Real b_high(b.precision());
      a.edge(false, a_low);
      a.edge(true, a_high);
      b.edge(false, b_low);
      b.edge(true, b_high);
      if (mpfr_greater_p(a_low.get(), b_high.get()) != 0) return true;
      if (mpfr_greater_p(b_low.get(), a_high.get()) != 0) return false;
      a.refine(random);
      b.refine(random);
    }
  }

 private:
  mpfr_prec_t precision() const { return static_cast<mpfr_prec_t>(length_ + 1); }

  double shift_;
  unsigned long length_ = 0;
  mpz_t bits_;
};

std::size_t select(const Scores& scores, double rate, RandomBits& random) {
  std::size_t best = 0;
  GumbelPsrn leader(-rate * static_cast<double>(scores[0]));
  for (std::size_t k = 1; k < scores.size(); ++k) {
    GumbelPsrn challenger(-rate * static_cast<double>(scores[k]));
    if (!GumbelPsrn::greater_than(challenger, leader, random)) continue;
    leader = std::move(challenger);
    best = k;
  }
  return best;
}

void measure(benchmark::State& state, const SelectionCase& c) {
  RandomBits random = RandomBits::system();
  for (auto _ : state) benchmark::DoNotOptimize(select(c.scores(), c.rate_double(), random));
}

}  // namespace

void register_gumbel_mpfr() { register_selections("gumbel_mpfr", 10'000, measure); }

}  // namespace fractile::bench
