// What `fractile publish` asks for, from words to what fractile/publication.hpp takes: for the program and the Python package.
#pragma once

#include <optional>

#include "fractile/publication.hpp"
#include "requests/publications/publication_file.hpp"
#include "requests/publications/tables_folder.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// FILE, of a publication. With a ledger, public files that it names are those that the dataset's owner declared. Errors as those of
/// payment_asked(), require_declared_keys() and read_publication().
PublicationFile publication_asked(const Typed& typed);

struct Publishing {
  PublicationInput input;
  PublicationRequest request;
  std::optional<Payment> payment;
  TablesFolder folder;

  /// What publication_asked() has read, and what is said beside it: who pays, the machine, the folder. Throws `usage` for what cannot be.
  /// Makes the folder; no record is looked at.
  static Publishing of(const Typed& typed, PublicationFile file);
};

}  // namespace fractile::requests
