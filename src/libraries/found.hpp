// A function of a library that was loaded at run time, or may be.
#pragma once

#include <dlfcn.h>

#include <string>

#include "fractile/error.hpp"

namespace fractile::libraries {

/// The handle that dlopen() returned, and the name of the library that it should be: "DuckDB 1.1 or later".
struct Loaded {
  void* handle;
  const char* wanted;
};

template <class Signature>
class Found;

template <class Result, class... Arguments>
class Found<Result(Arguments...)> {
 public:
  /// Throws `usage` when the library has no such function.
  Found(const Loaded& library, const char* name)
      : function_(reinterpret_cast<Result (*)(Arguments...)>(dlsym(library.handle, name))) {
    if (function_ == nullptr) {
      throw Error(ErrorCode::usage, std::string("not a library of ") + library.wanted + ": it lacks " + name);
    }
  }
  /// A function of a library that is linked.
  explicit Found(Result (*function)(Arguments...)) : function_(function) {}
  Result operator()(Arguments... arguments) const { return function_(arguments...); }

 private:
  Result (*function_)(Arguments...);
};

}  // namespace fractile::libraries
