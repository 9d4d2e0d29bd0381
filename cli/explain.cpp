#include "explain.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

#include "fractile/report.hpp"
#include "terminal.hpp"
#include "values.hpp"

namespace fractile::cli {
namespace {

/// Receipts are small; what is larger is something else.
constexpr std::size_t largest = std::size_t{256} << 20;

std::string text_of(std::istream& input, const std::string& name) {
  std::string text;
  std::string chunk(std::size_t{1} << 16, '\0');
  while (text.size() <= largest) {
    input.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk, 0, static_cast<std::size_t>(input.gcount()));
    if (!input) break;
  }
  const char* const hint = "name a file that fractile release --receipt has written";
  if (input.bad()) throw Error(ErrorCode::data, "'" + name + "' cannot be read: " + std::strerror(errno), hint);
  if (text.empty()) throw Error(ErrorCode::data, "'" + name + "' is empty", hint);
  if (text.size() > largest) throw Error(ErrorCode::data, "'" + name + "' is no receipt: larger than 256 MiB", hint);
  return text;
}

}  // namespace

std::string receipt_text(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) {
    throw Error(ErrorCode::data, "the receipt '" + file + "' cannot be read: " + std::strerror(errno),
                "name a file that fractile release --receipt has written");
  }
  return text_of(input, file);
}

int run_explain(const Typed& typed) {
  if (typed.file.empty()) usage("no RECEIPT to explain", "name a file that fractile release --receipt has written");
  const auto prose =
      choice<Prose>(typed, "--format", {{"text", Prose::text}, {"markdown", Prose::markdown}}, Prose::text);
  const bool piped = typed.file == "-";
  const std::string name = piped ? "standard input" : typed.file;
  const Receipt receipt = read_receipt(piped ? text_of(std::cin, name) : receipt_text(typed.file), name);
  print(explain(receipt, prose), "nothing was changed");
  return 0;
}

}  // namespace fractile::cli
