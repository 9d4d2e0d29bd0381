// Turns words into a report on the least epsilon that serves one analyst or several.
#pragma once

#include <vector>

#include "fractile/reports.hpp"
#include "requests/flow.hpp"
#include "requests/pipeline_file.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Reads `loss`, `epsilon`, FILE and more files. In the report, nothing is known yet about any analyst. Throws `usage` for impossible
/// options.
ChoiceReport choice_asked(const Typed& typed);

/// Reads FILE and more files, and adds to `asked` the loss of each file's analyst without a release. Throws `data` as read_pipeline() does,
/// and for a file without an analyst.
std::vector<PipelineFile> choosing_files(const Typed& typed, ChoiceReport& asked);

/// Adds what the file says about its analyst: the loss without a release and, if a guess is asked for, the question about the guess.
void complete(ChoosingAnalyst& analyst, const PipelineFile& file, const Typed& typed);

/// With `draws`, the report also has the analysts' losses at some points.
ChoiceReport decided(const ChoiceReport& asked, const std::vector<PipelineFile>& files, bool draws, const Watch& watch);

}  // namespace fractile::requests
