#!/usr/bin/env bash
# r_test.sh PROGRAM SOURCE BUILD: installs the R package into a folder of the build, and runs its tests. Exit code 77: no R here.
set -euo pipefail
program=$1 source=$2 build=$3
if ! command -v Rscript >/dev/null; then
  echo "no R is here: the R package is not tested"
  exit 77
fi
rm -rf "$build/r"
mkdir -p "$build/r/library"
cp -r "$source/r/fractile" "$build/r/fractile"
cd "$build/r"
R CMD INSTALL --library=library fractile
for test in fractile/tests/*.R; do
  echo "$test"
  FRACTILE=$program R_LIBS=library Rscript "$test"
done
