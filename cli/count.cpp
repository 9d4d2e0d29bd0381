// fractile count and fractile merge: profile files.
#include "requests/counting.hpp"
#include "requests/text_file.hpp"
#include "verbs.hpp"
#include "watcher.hpp"

namespace fractile::cli {

int run_count(const requests::Typed& typed) {
  Watcher watcher;
  requests::count_to_file(requests::with_texts_of_files(typed), watcher);
  return 0;
}

int run_merge(const requests::Typed& typed) {
  Watcher watcher;
  requests::merge_to_file(typed, watcher);
  return 0;
}

}  // namespace fractile::cli
