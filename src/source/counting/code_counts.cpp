#include <set>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/source.hpp"

namespace fractile {
namespace {

constexpr std::int64_t most_records = std::int64_t{1} << 53;

[[noreturn]] void refuse(const std::string& file, std::size_t row, const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::data, file + ": row " + std::to_string(row + 1) + ", " + what, hint);
}

std::string trimmed(const std::string& cell) {
  const char* const blanks = " \t";
  const std::size_t first = cell.find_first_not_of(blanks);
  if (first == std::string::npos) return {};
  return cell.substr(first, cell.find_last_not_of(blanks) + 1 - first);
}

Rational number_in_cell(const std::string& cell, const std::string& file, std::size_t row, const std::string& column) {
  try {
    return Rational::parse(trimmed(cell));
  } catch (const Error&) {  // its message has the cell
    refuse(file, row, "column '" + column + "': not a number", "write a whole number, a decimal or a fraction");
  }
}

std::uint64_t count_of(const std::string& cell, const std::string& file, std::size_t row) {
  const Rational count = number_in_cell(cell, file, row, "count");
  if (!count.is_integer() || count.sign() < 0 || count > Rational(most_records)) {
    refuse(file, row, "column 'count': not a number of records", "write a whole number");
  }
  return count.to_uint64();
}

}  // namespace

std::vector<CodeCount> read_code_counts(const TableOptions& options) {
  const std::vector<std::vector<std::string>> cells = Table::open(options).texts({"code", "count"});
  const std::string& file = options.file;
  std::vector<CodeCount> counts;
  counts.reserve(cells[0].size());
  std::set<Rational> codes;
  for (std::size_t row = 0; row < cells[0].size(); ++row) {
    Rational code = number_in_cell(cells[0][row], file, row, "code");
    if (!codes.insert(code).second) {
      refuse(file, row, "column 'code': a code appears twice", "write every code once, with all its records");
    }
    counts.push_back({std::move(code), count_of(cells[1][row], file, row)});
  }
  return counts;
}

}  // namespace fractile
