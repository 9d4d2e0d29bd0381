// A publication, described in a TOML file: docs/publication.md is its reference, and `fractile publish --example` shows one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/publication.hpp"
#include "fractile/source.hpp"

namespace fractile::requests {

/// The source in `[input]`: of one kind, or of none where the records come from elsewhere.
struct PublicationInput {
  TableOptions read = {};     ///< files and queries, and which texts are missing
  std::string postgres = {};  ///< a server's address
  std::string counts = {};    ///< a profile file

  bool names_records() const;
  /// Nothing is opened but a profile file. Throws `usage` when no records are named.
  Source source() const;
};

struct PublicationFile {
  std::string name;
  Publication publication;
  std::vector<PublicationPart> parts = {};  ///< of its budget
  PublicationInput input = {};
  /// Files of keys, cells and rows that were read for it, and are public: none of them is what is published.
  std::vector<std::string> public_files = {};

  /// Throws `usage` where `[input]` names records, or says how files are written, for a caller who has the records at hand.
  void require_no_records() const;
};

/// Called with the path of each public file, of keys, cells and rows, once it is open and before anything of it is read: where it is, without
/// links, or "" where that is not known. What it throws ends the reading.
using OnPublicFile = std::function<void(const std::string&)>;

/// Throws `data` when the file, or one that it names, cannot be read or is not what it should be: names the file, the
/// line and the member. `library` as in TableOptions, for files of keys, cells and rows; throws `usage` when the
/// library is not there. No record is read.
PublicationFile read_publication(const std::string& name, const std::string& library, const OnPublicFile& on_file = {});

/// The same for a text, which is called `name`; files that it names are beside that.
PublicationFile publication_in(const std::string& text, const std::string& name, const std::string& library);

/// A file that runs on examples/people.csv and explains each member.
std::string_view example_publication();

}  // namespace fractile::requests
