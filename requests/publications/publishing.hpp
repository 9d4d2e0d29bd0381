// Turns the words of `fractile publish` into what fractile/publication.hpp takes, for the program and the Python package.
#pragma once

#include <optional>

#include "fractile/error.hpp"
#include "fractile/publication.hpp"
#include "requests/publications/publication_file.hpp"
#include "requests/publications/tables_folder.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Reads the publication in FILE. With a ledger, the public files that it names must be files that the dataset's owner declared. Throws as
/// payment_asked(), require_declared_keys() and read_publication() do.
PublicationFile publication_asked(const Typed& typed);

/// The same error, with the fields that it names as members of the publication's file: `encoding = "latin1"`, since `publish` has no such
/// argument. Sentences that name an argument of `publish`, or what `ledger init` takes, stay as they are.
Error in_words_of_file(const Error& error);

/// Returns what `work` returns, and words its errors in this way.
template <class Work>
auto with_words_of_file(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw in_words_of_file(error);
  }
}

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
