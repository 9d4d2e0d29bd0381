// Turns the words of `fractile publish` into what fractile/publication.hpp takes, for the program and the Python package.
#pragma once

#include <optional>

#include "fractile/publication.hpp"
#include "requests/publications/publication_file.hpp"
#include "requests/publications/tables_folder.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Reads the publication in FILE. With a ledger, the public files that it names must be files that the dataset's owner declared. Throws as
/// payment_asked(), require_declared_keys() and read_publication() do.
PublicationFile publication_asked(const Typed& typed);

struct Publishing {
  PublicationInput input;
  PublicationRequest request;
  std::optional<Payment> payment;
  TablesFolder folder;

  /// Adds to the file that publication_asked() has read what the options say: who pays, what the machine may use, and the folder. Throws
  /// `usage` for impossible options. Makes the folder, and reads no record.
  static Publishing of(const Typed& typed, PublicationFile file);
};

}  // namespace fractile::requests
