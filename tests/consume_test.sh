#!/usr/bin/env bash
# consume_test.sh installed|subdirectory|shared SOURCE BUILD: a stranger builds against the library.
# installed: the README's examples, too. installed and shared: also with pkg-config and another compiler. shared: within a project that
# compiles all of its own as one, has shared libraries, and exports and installs one of its own beside ours.
set -euo pipefail
how=$1 source=$2 build=$3
# Always the same folder, so that ccache knows what it compiled there before.
folder=$build/consume/$how
rm -rf "$folder"
mkdir -p "$folder"
trap 'rm -rf "$folder"' EXIT
if [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]] && command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi

for header in "$source"/include/fractile/*.hpp; do
  name=fractile/$(basename "$header")
  grep -q "<$name>" "$source/tests/consumer/consumer.cpp" || {
    echo "tests/consumer/consumer.cpp does not include $name"
    exit 1
  }
done

# Builds and runs the stranger's host against what is installed, without CMake, and with the other compiler, where there is one.
by_the_other_compiler() { # FOLDER-OF-LIBRARIES
  local compiler flags libraries
  export PKG_CONFIG_PATH=$1/pkgconfig
  compiler=$(command -v clang++ clang++-14 | head -1 || true)
  read -ra flags <<<"$(pkg-config --cflags fractile)"
  read -ra libraries <<<"$(pkg-config --libs fractile)"
  "${compiler:-g++}" -std=c++20 -O0 "${flags[@]}" "$source/tests/consumer/host.cpp" -ffast-math -o "$folder/host" "${libraries[@]}"
  LD_LIBRARY_PATH=$1 "$folder/host"
}

# Neither optimised nor with symbols: what counts is that it builds and runs.
options=(-G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0)
if [[ $how == installed ]]; then
  # Every ```cpp block of the README is a program: readme1.cpp, readme2.cpp, ...
  mkdir "$folder/examples"
  awk -v folder="$folder/examples" '
    /^```cpp$/ { out = folder "/readme" ++count ".cpp"; next }
    /^```$/ { out = "" }
    out != "" { print > out }' "$source/README.md"
  options+=("-DREADME_EXAMPLES=$folder/examples")
  cmake --install "$build" --prefix "$folder/prefix" >/dev/null
  cmake -S "$source/tests/consumer" -B "$folder/build" "${options[@]}" -DCMAKE_PREFIX_PATH="$folder/prefix" >/dev/null
  "$folder/prefix/bin/fractile" --version
  for name in "$folder"/prefix/*; do
    case $(basename "$name") in bin | include | lib | lib64 | share) ;; *) echo "$name is no folder of a prefix" && exit 1 ;; esac
  done
  # The installed files do not know where they were built, nor where the builder's libraries are.
  archive=$(find "$folder/prefix" -name libfractile.a)
  libraries_folder=$(dirname "$archive")
  if grep -rE "/usr/lib" "$libraries_folder"/cmake "$libraries_folder"/pkgconfig; then exit 1; fi
  if grep -rIE "$build|$source|$folder" "$folder/prefix"; then exit 1; fi
  python3 -B "$source/tests/consumer/symbols.py" "$archive"
  # Without pkg-config a package that is looked for quietly is not there, and that is all.
  cmake -S "$source/tests/consumer/quiet" -B "$folder/quiet" -DCMAKE_PREFIX_PATH="$folder/prefix" -DPKG_CONFIG_EXECUTABLE=/nowhere \
    >"$folder/quiet.txt" 2>&1
  grep -- '-- done without' "$folder/quiet.txt"
  by_the_other_compiler "$libraries_folder"
  if [[ -e $build/libduckdb.so ]]; then
    env -u FRACTILE_DUCKDB "$folder/prefix/bin/fractile" release "$source/examples/people.csv" --column age --bounds 0 125 --step 1 \
      --quantiles median --epsilon 1 | grep '^1/2,'
    FRACTILE_DUCKDB=$(find "$folder/prefix" -name libduckdb.so)  # as the README says it to one's own program
    export FRACTILE_DUCKDB
  fi
else
  options+=("-DFRACTILE_EDITING=$(sed -n 's/^FRACTILE_EDITING:BOOL=//p' "$build/CMakeCache.txt")")
  if [[ $how == shared ]]; then options+=(-DBUILD_SHARED_LIBS=ON -DCMAKE_UNITY_BUILD=ON -DFRACTILE_INSTALL=ON); fi
  # What the house has compiled by the same commands, from the same headers, is not compiled again.
  launcher="$source/tests/consumer/launcher.sh;$folder/same${CMAKE_CXX_COMPILER_LAUNCHER:+;$CMAKE_CXX_COMPILER_LAUNCHER}"
  cmake -S "$source/tests/consumer" -B "$folder/build" "${options[@]}" -DFRACTILE_SOURCE="$source" \
    "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" >/dev/null
  diff -r "$build/generated" "$folder/build/fractile/generated"
  python3 -B "$source/tests/consumer/same_objects.py" "$build" "$folder/build" "$folder/same"
fi
cmake --build "$folder/build" >/dev/null

"$folder/build/host"
if [[ $how == shared ]]; then
  cmake --install "$folder/build" --prefix "$folder/prefix" >/dev/null
  library=$(find "$folder/prefix" -name libfractile.so)
  python3 -B "$source/tests/consumer/symbols.py" "$library"
  readelf -d "$library" | grep -E 'SONAME.*libfractile\.so\.[0-9]+\.[0-9]+\]'
  [[ -e $(dirname "$library")/cmake/wrapper/wrapper_targets.cmake ]]
  by_the_other_compiler "$(dirname "$library")"
fi
"$folder/build/consumer" | grep '"quantile": "1/2"'
if [[ $how != installed ]]; then exit; fi
"$folder/build/readme2" | grep -x 'and one with three 3/2'
diff "$folder/examples/readme1.cpp" "$source/examples/publish.cpp"
if [[ -n ${FRACTILE_DUCKDB:-} ]]; then
  ledger=$folder/people.ledger
  "$build/fractile" ledger init "$ledger" --dataset people --epsilon 1/2 --records-per-person 3
  "$folder/build/readme1" "$source/examples/people.csv" "$ledger" >"$folder/first.json"
  "$folder/build/readme1" "$source/examples/people.csv" "$ledger" | diff - "$folder/first.json"  # from the ledger
  grep '"key": "west"' "$folder/first.json"
  "$build/fractile" ledger show "$ledger" --format table >"$folder/ledger.txt"
  grep '^entry 1, committed, people' "$folder/ledger.txt"
fi
