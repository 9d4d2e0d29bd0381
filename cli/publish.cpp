#include "publish.hpp"

#include "requests/publications/publication_file.hpp"
#include "terminal.hpp"

namespace fractile::cli {

int run_publish(const Typed& typed) {
  if (!typed.has("example")) usage("nothing to do", {"write ", Field("example")});
  print(std::string(requests::example_publication()));
  return 0;
}

}  // namespace fractile::cli
