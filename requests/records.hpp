// Where the records of a release are: in a table that the engine reads, or in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fractile/frames.hpp"
#include "fractile/source.hpp"

namespace fractile::requests {

/// As the functions of Table of the same names.
class Records {
 public:
  Records() = default;
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
  virtual ~Records() = default;

  virtual void require_countable(const std::string& column, ValueKind kind) const = 0;
  /// What of the lattice the column's type decides; for a column that can be counted.
  virtual void require_lattice(const std::string& /*column*/, const Lattice& /*lattice*/) const {}
  virtual void require_selection(const RecordSelection& selection, const std::string& column) const = 0;
  /// The profiles that a selection selects, or that of the whole column when it selects nothing.
  virtual std::vector<RankProfile> profiles(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                                            const RecordSelection& selection, RandomBits& bits,
                                            const std::function<void()>& on_progress) const = 0;
  virtual std::uint64_t rows() const = 0;
  /// Throws `data` when a file was written to since it was opened.
  virtual void require_unchanged() const {}
  virtual std::string engine() const = 0;
  /// As SourceDescription::disjoint_persons.
  virtual bool are_persons_disjoint() const { return false; }
};

/// Of a Table or a Frame.
template <class Source>
class RecordsOf final : public Records {
 public:
  explicit RecordsOf(Source source) : source_(std::move(source)) {}

  void require_countable(const std::string& column, ValueKind kind) const override {
    source_.require_countable(column, kind);
  }
  void require_lattice(const std::string& column, const Lattice& lattice) const override {
    if constexpr (requires { source_.require_countable(column, lattice); }) source_.require_countable(column, lattice);
  }
  void require_selection(const RecordSelection& selection, const std::string& column) const override {
    source_.require_selection(selection, column);
  }
  std::vector<RankProfile> profiles(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                                    const RecordSelection& selection, RandomBits& bits,
                                    const std::function<void()>& on_progress) const override {
    if (selection.selects()) return source_.profiles(column, lattice, null_policy, selection, bits, on_progress);
    std::vector<RankProfile> all;  // no list in braces: that would be copied
    all.push_back(source_.profile(column, lattice, null_policy, Counting::automatic, on_progress));
    return all;
  }
  std::uint64_t rows() const override { return source_.rows(); }
  void require_unchanged() const override {
    if constexpr (requires { source_.require_unchanged(); }) source_.require_unchanged();
  }
  std::string engine() const override { return source_.engine(); }

 private:
  Source source_;
};

}  // namespace fractile::requests
