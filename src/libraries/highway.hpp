// Highway, compiled as a namespace of ours: stands before each of its headers. Its library is not linked, since a process that loads it
// waits 4 ms while it measures the processor's clock; of its functions we need two, which highway.cpp defines.
#pragma once

#define hwy fractile::hwy
