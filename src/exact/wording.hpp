// In which syntax a message names fields and their values.
#pragma once

#include "fractile/error.hpp"

namespace fractile {

enum class Wording {
  library,  ///< records_per_person = 1, bounds = {0, 125}
  program,  ///< --records-per-person 1, --bounds 0 125
  python,   ///< records_per_person=1, bounds=(0, 125)
  r,        ///< records_per_person = 1, bounds = c(0, 125)
  file,     ///< records_per_person = 1, bounds = [0, 125]: a TOML file
};

}  // namespace fractile
