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
  std::vector<std::string> remarks = {};  ///< facts that may surprise the file's author
};

/// Throws `data` when the file cannot be read or does not describe a pipeline; the error names the file and, if possible, the line and the
/// key. `library` is as in TableOptions, and serves to read a histogram from a file; throws `usage` when the library is not there.
PipelineFile read_pipeline(const std::string& name, const std::string& library);

/// Reads a pipeline from a text. Errors call the text `name`, and paths in it are relative to the folder of `name`.
PipelineFile pipeline_in(const std::string& text, const std::string& name, const std::string& library);

/// The file's analyst. Throws `data` when the file has no analyst.
const flow::Analyst& analyst_of(const PipelineFile& file);

/// Computes an answer about a file after the options were checked. If the library then throws `usage`, the fault is the file's, so this
/// throws `data` with the file's name.
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
