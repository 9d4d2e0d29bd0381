// A publication, described in a TOML file: docs/publication.md is its reference, and `fractile publish --example` shows one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/publication.hpp"
#include "fractile/source.hpp"

namespace fractile::requests {

/// The source in `[input]`: at most one of files, a server and a profile file; none where the records come from elsewhere.
struct PublicationInput {
  TableOptions read = {};     ///< files and queries, and which texts count as missing
  std::string postgres = {};  ///< a server's address
  std::string counts = {};    ///< a profile file

  bool names_records() const;
  /// The source that `[input]` names. Only a profile file is opened. Throws `usage` when no records are named.
  Source source() const;
};

struct PublicationFile {
  std::string name;
  Publication publication;
  std::vector<PublicationPart> parts = {};  ///< the parts of its budget
  PublicationInput input = {};

  /// For a caller who passes the records: throws `usage` if `[input]` names records or says how files are written.
  void require_no_records() const;
};

/// Called for each public file of keys, cells and rows, after it is opened and before it is read. The argument is the file's path without
/// links, or "" if that is not known. An exception from the call ends the reading.
using OnPublicFile = std::function<void(const std::string&)>;

/// Reads a publication, but none of its records. Throws `data` when the file, or a file that it names, cannot be read or has wrong
/// contents; the error names the file, the line and the member. `library` is as in TableOptions, for files of keys, cells and rows; throws
/// `usage` when the library is not there.
PublicationFile read_publication(const std::string& name, const std::string& library, const OnPublicFile& on_file = {});

/// Reads a publication from a text. Errors call the text `name`, and paths in it are relative to the folder of `name`.
PublicationFile publication_in(const std::string& text, const std::string& name, const std::string& library);

/// The plan of the publication. Errors name the file and the table.
PublicationPlan plan_publication(const PublicationFile& file);

/// Whether the words name this field, in whatever way they are worded.
bool is_named(const Words& words, const std::string& field);

/// An example that runs on examples/people.csv and explains each member.
std::string_view example_publication();

}  // namespace fractile::requests
