// Highway, compiled in a namespace of ours. This header stands before each of Highway's headers. Highway's library is not linked, since a
// process that loads it waits 4 ms while the library measures the processor's clock. We need two of its functions, which highway.cpp
// defines.
#pragma once

#define hwy fractile::hwy
