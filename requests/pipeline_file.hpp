// A pipeline and an analyst, described in a TOML file; `fractile flow --help` shows one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::requests {

struct PipelineFile {
  std::string name;
  flow::Pipeline pipeline;
  std::optional<flow::Analyst> analyst;
  std::vector<std::string> remarks = {};  ///< what may surprise the file's author
};

/// Throws `data` when the file cannot be read or is not what it should be: names the file, and where it can the line
/// and the key. `library` as in TableOptions, for a histogram that is read from a file; throws `usage` when the library
/// is not there.
PipelineFile read_pipeline(const std::string& name, const std::string& library);

/// The same for a text, which is called `name`; files that it names are beside that.
PipelineFile pipeline_in(const std::string& text, const std::string& name, const std::string& library);

/// The file's analyst; throws `data` when it has none.
const flow::Analyst& analyst_of(const PipelineFile& file);

/// Computes what was asked of a file, the options being well: what the library then refuses is the file's fault.
template <class Compute>
auto about_file(const PipelineFile& file, Compute&& compute) {
  try {
    return compute();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    const Words& hint = error.hint_words();
    throw Error(ErrorCode::data, {file.name, ": ", error.what_words()},
                hint.empty() ? "see fractile flow --help" : hint);
  }
}

}  // namespace fractile::requests
