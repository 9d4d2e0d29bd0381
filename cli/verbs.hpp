// The verbs: each function does what its verb says, and returns the exit code.
#pragma once

#include "options.hpp"

namespace fractile::cli {

/// 0 when the claim is certified, 1 when it is refuted.
int run_audit(const Typed& typed);
int run_columns(const Typed& typed);
int run_completion(const Typed& typed);
int run_count(const Typed& typed);
int run_explain(const Typed& typed);
/// For words that decide a question, 0 means yes, 1 means no, and 6 means undecided. For other words, 0 means success.
int run_flow(const Typed& typed);
int run_ledger(const Typed& typed);
int run_merge(const Typed& typed);
int run_plan(const Typed& words);
int run_publish(const Typed& typed);
int run_release(const Typed& words);
int run_reproduce(const Typed& typed);

}  // namespace fractile::cli
