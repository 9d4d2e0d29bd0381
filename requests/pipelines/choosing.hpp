// The least epsilon that serves one analyst, or several, from words to a report.
#pragma once

#include <vector>

#include "fractile/reports.hpp"
#include "requests/flow.hpp"
#include "requests/pipeline_file.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// `loss` and `epsilon` of FILE and more files, of which nothing is known yet. Throws `usage` for what cannot be.
ChoiceReport choice_asked(const Typed& typed);

/// FILE and more files, each with an analyst, of whom `asked` then has the loss without a release. Throws `data` as
/// read_pipeline() does, and without an analyst.
std::vector<PipelineFile> choosing_files(const Typed& typed, ChoiceReport& asked);

/// What the file says of its analyst: their loss without a release, and where it is asked for what is guessed.
void complete(ChoosingAnalyst& analyst, const PipelineFile& file, const Typed& typed);

/// `draws`: with the analysts' losses at some points.
ChoiceReport decided(const ChoiceReport& asked, const std::vector<PipelineFile>& files, bool draws, const Watch& watch);

}  // namespace fractile::requests
