#include "source/engine/engine_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/source.hpp"

namespace fractile::source_detail {
namespace {

#ifdef __APPLE__
constexpr const char* library_name = "libduckdb.dylib";
#else
constexpr const char* library_name = "libduckdb.so";
#endif

/// The engine of this process. Once loaded, it stays, since its threads and their state do not survive unloading.
const EngineApi* loaded_api = nullptr;

#if defined(__has_feature)
constexpr bool is_sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

#ifdef RTLD_DEEPBIND
constexpr int own_symbols_first = is_sanitized ? 0 : RTLD_DEEPBIND;  // sanitizers refuse RTLD_DEEPBIND
#else
constexpr int own_symbols_first = 0;
#endif

/// Binding all of the engine's symbols at once would take 1/3 of the time for reading a small table. Searching every library of
/// this process before the engine itself would take 1/10.
constexpr int binding = RTLD_LAZY | RTLD_LOCAL | own_symbols_first;

const EngineApi& load_engine(const std::string& path) {
  static std::mutex mutex;
  static void* loaded = nullptr;
  const std::lock_guard lock(mutex);
  void* const library = dlopen(path.c_str(), binding);
  if (library == nullptr) throw Error(ErrorCode::usage, "cannot load the engine");
  if (loaded == nullptr) {
    loaded_api = new const EngineApi(library);
    loaded = library;
  } else if (loaded != library) {
    throw Error(ErrorCode::usage, "this process has already loaded another engine");
  }
  return *loaded_api;
}

constexpr const char* library_hint =
    "run ./dev build, which obtains DuckDB (for Python, pip install 'fractile[files]'), or set FRACTILE_DUCKDB to the "
    "path of libduckdb";

const EngineApi& load_named(const std::string& path, const Words& origin) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw Error(ErrorCode::usage, {origin, " names ", path, ", which does not exist"}, library_hint);
  }
  try {
    return load_engine(path);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, {error.what_words(), " (", origin, ": ", path, ")"}, library_hint,
                origin.first_field());
  }
}

/// The library that set_default_engine() named.
class DefaultEngine {
 public:
  void set(std::string path) {
    const std::lock_guard lock(mutex_);
    path_ = std::move(path);
  }
  std::string path() const {
    const std::lock_guard lock(mutex_);
    return path_;
  }

 private:
  mutable std::mutex mutex_;
  std::string path_;
};

DefaultEngine& default_engine() {
  static DefaultEngine engine;
  return engine;
}

std::vector<std::string> default_places() {
  std::vector<std::string> places;
  std::error_code failed;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const std::filesystem::path folder = executable.parent_path();
    const std::filesystem::path libraries = folder.parent_path() / "lib";
    for (const auto& place : {folder / library_name, libraries / "fractile" / library_name, libraries / library_name}) {
      if (std::filesystem::exists(place, failed)) places.push_back(place.string());
    }
  }
  places.emplace_back(library_name);  // found on the loader's path
  return places;
}

}  // namespace

const EngineApi& find_engine(const std::string& library) {
  if (!library.empty()) return load_named(library, Field("duckdb"));
  if (const char* named = std::getenv("FRACTILE_DUCKDB"); named != nullptr && *named != '\0') {
    return load_named(named, "FRACTILE_DUCKDB");
  }
  if (const std::string path = default_engine().path(); !path.empty()) return load_named(path, "the default engine");
  for (const std::string& place : default_places()) {
    try {
      return load_engine(place);
    } catch (const Error&) {
      continue;
    }
  }
  throw Error(ErrorCode::usage, "DuckDB, the engine that reads Parquet, JSON and SQL, was not found", library_hint);
}

const EngineApi& loaded_engine() { return *loaded_api; }

}  // namespace fractile::source_detail

namespace fractile {

void set_default_engine(std::string path) { source_detail::default_engine().set(std::move(path)); }

}  // namespace fractile
