// Threads and memory that are not to be had: `operator new` and pthread_create() of this program refuse when they are told to.
#pragma once

#include <atomic>
#include <cstdint>

namespace fractile::host_test {

/// How many more are to be had until one is not; below zero: all are. A piece of memory is refused once, a thread and all after it.
extern std::atomic<std::int64_t> threads_left;
extern std::atomic<std::int64_t> memory_left;
/// Whether only what this program's own code asks for is counted and refused, and not what loaded libraries do.
extern std::atomic<bool> refuses_only_own;
/// How many pieces of memory are held.
extern std::atomic<std::int64_t> memory_held;

}  // namespace fractile::host_test
