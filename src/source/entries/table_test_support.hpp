// For the tests of this room: files in a temporary folder, a skip if there is no engine, and access to errors.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "fractile/source.hpp"
#include "source/engine/engine.hpp"

namespace fractile::source_test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fractile-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

/// The Error that `action` throws; a failed expectation when it throws none.
template <class Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return {ErrorCode::internal, ""};
}

/// Whether an error's message or hint contains this part.
inline bool holds(const Error& error, const std::string& part) {
  return (std::string(error.what()) + " " + error.hint()).find(part) != std::string::npos;
}

inline Lattice lattice_of(const std::string& lower, const std::string& upper, const std::string& step) {
  return Lattice::regular(Rational::parse(lower), Rational::parse(upper), Rational::parse(step));
}

inline const Lattice ages_to_120 = lattice_of("0", "120", "1");

template <class Number>
RankProfile profile_of(const Lattice& lattice, std::span<const Number> numbers) {
  ProfileBuilder builder(lattice);
  for (const Number number : numbers) builder.add(number);
  return builder.finish();
}

/// Tests that need the engine are skipped where it is not installed.
class EngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      source_detail::Session::open({});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage) throw;
      GTEST_SKIP() << error.what() << ": " << error.hint();
    }
  }

  Table open(const std::string& file) const { return Table::open({.file = file}); }
  void run_sql(const std::string& sql) const { source_detail::Session::open({}).run(sql); }
  /// Writes the result of a query as Parquet, and returns the file's path.
  std::string write_parquet(const std::string& name, const std::string& select) const {
    run_sql("COPY (" + select + ") TO " + source_detail::quote_literal(folder.path(name)) + " (FORMAT parquet)");
    return folder.path(name);
  }

  TemporaryFolder folder;
};

}  // namespace fractile::source_test
