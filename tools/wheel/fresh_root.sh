#!/usr/bin/env bash
# fresh_root.sh FOLDER: a Debian 12 in FOLDER that has Python and nothing else: no compiler, none of the libraries that Fractile is
# built with on this machine. tests/wheel_test.py runs the wheel in it. Needs root, and about 250 MB.
set -euo pipefail
command -v debootstrap >/dev/null || apt-get install -y -qq --no-install-recommends debootstrap >&2
# shellcheck disable=SC2016 # apt's own variable
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
[[ -n $mirror ]] || { printf 'fresh_root: apt knows no mirror of Debian 12 here\n' >&2 && exit 1; }
rm -rf "$1"
debootstrap --variant=minbase --include=python3,python3-venv bookworm "$1" "$mirror" >&2
