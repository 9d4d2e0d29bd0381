// {fmt}, compiled as a namespace of ours: a program may bring along another one, of another version. Nothing else includes it.
#pragma once

/// Its headers call their namespace by the usual name, also where they stand outside of it.
namespace fractile::fmt {}
namespace fmt = fractile::fmt;

#define FMT_BEGIN_NAMESPACE namespace fractile::fmt {
#define FMT_END_NAMESPACE }

#include <fmt/format.h>
#if FMT_VERSION >= 110000
#include <fmt/ranges.h>  // has had fmt::join since then
#endif
