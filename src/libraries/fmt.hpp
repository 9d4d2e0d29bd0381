// {fmt}, compiled in a namespace of ours, since a program may link another version of it. Other sources include this header only.
#pragma once

/// The headers of {fmt} write `fmt::` even outside of their namespace, so this name must lead to ours.
namespace fractile::fmt {}
namespace fmt = fractile::fmt;

#define FMT_BEGIN_NAMESPACE namespace fractile::fmt {
#define FMT_END_NAMESPACE }

#include <fmt/format.h>
#if FMT_VERSION >= 110000
#include <fmt/ranges.h>  // declares fmt::join since version 11
#endif
