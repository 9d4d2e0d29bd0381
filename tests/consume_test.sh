#!/usr/bin/env bash
# consume_test.sh installed|subdirectory SOURCE BUILD: a stranger builds against the library and runs.
set -euo pipefail
how=$1 source=$2 build=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [[ $how == installed ]]; then
  cmake --install "$build" --prefix "$folder/prefix" >/dev/null
  cmake -S "$source/tests/consumer" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" >/dev/null
  "$folder/prefix/bin/fractile" --version
else
  cmake -S "$source/tests/consumer" -B "$folder/build" -G Ninja -DFRACTILE_SOURCE="$source" >/dev/null
fi
cmake --build "$folder/build" >/dev/null
"$folder/build/consumer" | grep '"quantile": "1/2"'
