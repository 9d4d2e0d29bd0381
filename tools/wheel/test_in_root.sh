#!/usr/bin/env bash
# test_in_root.sh ROOT WHEEL PYTHON [PYTEST-ARGS...]: the package's tests on WHEEL inside ROOT, which fresh_root.sh made. ROOT's own
# Python runs them where it is of PYTHON's version; otherwise PYTHON's folder is lent to it. Needs root.
set -euo pipefail
root=$(cd "$1" && pwd) wheel=$2 python=$3
shift 3
house=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version() { "$@" -c 'import sys; print("%d.%d" % sys.version_info[:2])'; }
version=$(version "$python")
site=/opt/site-$version

# What the tests import comes from outside, so that the root needs no network; the wheel is installed anew.
{
  grep -vE '^(#|nanobind|mypy|pyright|duckdb)' "$house/python/requirements.txt"
  sed -n 's/^files = \["\(.*\)"\]/\1/p' "$house/pyproject.toml"
} >"$root/requirements.txt"
if ! cmp -s "$root/requirements.txt" "$root$site/requirements.txt"; then
  rm -rf "${root:?}$site"
  "$python" -m pip install --quiet --disable-pip-version-check --prefer-binary --target "$root$site" --requirement "$root/requirements.txt" >&2
  cp "$root/requirements.txt" "$root$site"
fi
rm -rf "$root$site"/fractile "$root$site"/fractile-* "$root/house"
"$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --target "$root$site" --upgrade "$wheel" >&2
mkdir "$root/house"
(cd "$house" && cp -r python docs examples README.md pyproject.toml "$root/house")

lent=
if [[ $(version chroot "$root" python3) == "$version" ]]; then
  inside=/usr/bin/python3
else
  lent=$("$python" -c 'import sys; print(sys.base_prefix)')
  inside=$lent/bin/python$version
  mkdir -p "$root$lent"
fi
printf '#!/bin/sh\nexec %s -m fractile "$@"\n' "$inside" >"$root$site/program"
chmod +x "$root$site/program"
engine=$(cd "$root" && printf '/%s' opt/site-"$version"/_duckdb*.so)

# shellcheck disable=SC2016 # the inner shell's variables
exec unshare --mount bash -euc '
  root=$1 lent=$2
  shift 2
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  if [[ -n $lent ]]; then mount --bind -o ro "$lent" "$root$lent"; fi
  exec chroot "$root" env -i -C /house "$@"
' - "$root" "$lent" PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 PYTHONPATH="$site" PYTHONDONTWRITEBYTECODE=1 \
  FRACTILE_CLI="$site/program" FRACTILE_DUCKDB="$engine" "$inside" -m pytest python/tests "$@"
