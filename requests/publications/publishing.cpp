#include "requests/publications/publishing.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "requests/keys.hpp"
#include "requests/readings.hpp"
#include "requests/release.hpp"
#include "requests/tables.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

PublicationFile publication_asked(const Typed& typed) {
  const std::optional<Payment> payment = payment_asked(typed);
  const auto on_public_file = [&](const std::string& path) {
    if (payment) require_declared_keys(*payment, keys_file(path).contents());
  };
  return read_publication(typed.file, typed.one("duckdb"), on_public_file);
}

Publishing Publishing::of(const Typed& typed, PublicationFile file) {
  read_with_machine(typed, file.input.read);
  std::optional<Payment> payment = payment_asked(typed);
  std::optional<std::uint64_t> seed;
  if (typed.has("unsafe_seed")) seed = whole_number(typed, "unsafe_seed", {0, ~std::uint64_t{0}});
  TablesFolder folder(typed.one("output"), file.name);
  PublicationRequest request{std::move(file.publication), folder.receipt(), seed};
  return {std::move(file.input), std::move(request), std::move(payment), std::move(folder)};
}

}  // namespace fractile::requests
