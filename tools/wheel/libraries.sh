#!/usr/bin/env bash
# libraries.sh FOLDER: builds into FOLDER/prefix, as static archives, the libraries of libraries.txt that the package links; from
# their sources, which apt fetches into FOLDER/sources unless they are there. What is built already stays, until its row, its
# lines below or the compiler change. FOLDER/tools has the packages of requirements.txt. JOBS: how many processes (default: the
# number of cores).
# shellcheck disable=SC2016,SC2086 # compilers' own variables; flags and folders are lists of words
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
prefix=$folder/prefix
jobs=${JOBS:-$(nproc)}

say() { printf 'wheel: %s\n' "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# --- The compiler ------------------------------------------------------------------------------------------------

# zig as cc, c++, ar and ranlib in FOLDER/bin: for any x86-64 processor, and for glibc 2.28 whatever this machine has. What a configure
# script has it link into /dev/null goes elsewhere: run by root, zig would take the rights of all others to /dev/null away.
tools() {
  local name zig=$folder/tools/ziglang/zig
  mkdir -p "$folder/bin"
  for name in cc c++ ar ranlib; do
    {
      printf '#!/bin/sh\n'
      printf 'export ZIG_GLOBAL_CACHE_DIR=%q ZIG_LOCAL_CACHE_DIR=%q\n' "$folder/cache" "$folder/cache"
      case $name in
        cc | c++)
          printf 'last=\nfor word; do\n  shift\n  if [ "$last:$word" = -o:/dev/null ]; then word=%q; fi\n' "$folder/nowhere"
          printf '  last=$word\n  set -- "$@" "$word"\ndone\n'
          printf 'exec %q %s -target x86_64-linux-gnu.2.28 -mcpu=baseline "$@"\n' "$zig" "$name"
          ;;
        *) printf 'exec %q %s "$@"\n' "$zig" "$name" ;;
      esac
    } >"$folder/bin/$name.new"
    chmod +x "$folder/bin/$name.new"
    mv "$folder/bin/$name.new" "$folder/bin/$name"
  done
}

# --- The sources -------------------------------------------------------------------------------------------------

# apt with lists of its own, which know sources: where this machine's packages come from, for Debian 12.
apt_of_sources() {
  local parts=$folder/apt/parts
  if [[ -z $updated ]]; then
    mkdir -p "$parts" "$folder/apt/lists/partial"
    { cat /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } | sed 's/^Types:.*/Types: deb deb-src/' >"$parts/all.sources"
    { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true; } |
      sed -n 's/^deb \(.*\)/deb \1\ndeb-src \1/p' >"$parts/all.list"
    "${apt[@]}" -qq update >&2
    updated=yes
  fi
}
updated=
apt=(apt-get -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/apt/parts"
  -o "Dir::State::Lists=$folder/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)

# The source of this library, checked, in FOLDER/sources.
fetch() { # PACKAGE FILE SHA256
  mkdir -p "$folder/sources"
  if [[ ! -e $folder/sources/$2 ]]; then
    command -v apt-get >/dev/null || die "no apt here; put $2 into $folder/sources"
    say "fetching $2"
    apt_of_sources
    case $2 in
      *.deb) (cd "$folder/sources" && "${apt[@]}" -qq download "$1" >&2) ;;
      *) (cd "$folder/sources" && "${apt[@]}" -qq --tar-only --download-only source "$1" >&2) ;;
    esac || die "apt has no source of $1"
    [[ -e $folder/sources/$2 ]] ||
      die "apt has another version of $1 than $2; either put that file into $folder/sources, or change its row in libraries.txt"
  fi
  printf '%s  %s\n' "$3" "$folder/sources/$2" | sha256sum --check --status ||
    die "$folder/sources/$2 has another hash than expected; remove it and try again"
}

unpack() { # NAME FILE
  rm -rf "$folder/src/$1"
  mkdir -p "$folder/src/$1"
  case $2 in
    *.deb) dpkg -x "$folder/sources/$2" "$folder/src/$1" ;;
    *) tar -xf "$folder/sources/$2" -C "$folder/src/$1" --strip-components=1 ;;
  esac
}

# --- How each is built, in the folder of its sources ----------------------------------------------------------------

# Every function in a section of its own, so that a wheel holds only what is called.
flags='-O2 -g0 -fPIC -fno-sanitize=all -ffp-contract=off -ffunction-sections -fdata-sections -Wno-date-time'

configured() { # OPTIONS...
  ./configure --build=x86_64-pc-linux-gnu --prefix="$prefix" --disable-shared --enable-static --with-pic "$@"
  make -j"$jobs"
  make install
}

by_cmake() { # OPTIONS...
  cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_AR="$folder/bin/ar" -DCMAKE_RANLIB="$folder/bin/ranlib" "$@"
  cmake --build build --target install -j"$jobs"
}

# Fat: assembler for each kind of processor, chosen when it runs. Debian took its manual out; configure asks for it.
build_gmp() {
  mkdir doc
  printf 'all install:\n' >doc/Makefile.in
  configured --enable-fat
}

# Its stand-in for _Float128 does not go with the headers of this glibc.
build_mpfr() { configured --with-gmp="$prefix" --enable-thread-safe --disable-float128; }

# Without what no function of ours leads to: finite fields, multivariate and p-adic polynomials, primality by cyclotomy. Its Makefile
# would compile everything for the shared library, too.
build_flint() {
  local folders='ulong_extras long_extras perm fmpz fmpz_vec fmpz_poly fmpq_poly fmpz_mat fmpz_lll mpfr_vec mpfr_mat mpf_vec
    mpf_mat nmod nmod_vec nmod_poly nmod_poly_factor arith mpn_extras nmod_mat fmpq fmpq_vec fmpq_mat fmpz_poly_q fmpz_poly_mat
    nmod_poly_mat fmpz_mod_poly fmpz_mod_poly_factor fmpz_factor fmpz_poly_factor fft double_extras d_vec d_mat fmpz_mod_mat
    thread_pool thread_support fmpz_mod fmpz_mod_vec'
  ./configure --prefix="$prefix" --with-gmp="$prefix" --with-mpfr="$prefix" --disable-shared CC=cc AR=ar CFLAGS="$flags -std=gnu11"
  rm gettimeofday.c # for Windows
  archive libflint.a "$folders"
  mkdir -p "$prefix/include/flint"
  cp ./*.h "$prefix/include/flint"
}

build_arb() {
  local folders='fmpr arf mag arb arb_mat arb_poly arb_calc acb acb_mat acb_poly acb_calc acb_dft acb_dirichlet acb_hypgeom
    acb_modular acb_elliptic arb_hypgeom arb_fmpz_poly bernoulli bool_mat dirichlet dlog fmpz_extras hypgeom partitions
    double_interval fmpzi'
  ./configure --prefix="$prefix" --with-gmp="$prefix" --with-mpfr="$prefix" --with-flint="$prefix" --disable-shared CC=cc AR=ar \
    CFLAGS="$flags -std=gnu11"
  archive libarb.a "$folders"
  cp ./*.h "$prefix/include"
}

# The sources here and in FOLDERS, as an archive in the prefix.
archive() { # NAME FOLDERS
  find . $2 -maxdepth 1 -name '*.c' | sort >sources.txt
  FLAGS="$flags -std=gnu11 -I. -I$prefix/include -I$prefix/include/flint" \
    xargs -P "$jobs" -I{} sh -c 'cc $FLAGS -c "$1" -o "${1%.c}.o"' - {} <sources.txt
  rm -f "$prefix/lib/$1"
  sed 's/c$/o/' sources.txt | xargs ar rcs "$prefix/lib/$1"
}

# Both write "register", which C++ has no longer.
build_coinutils() {
  configured CXXFLAGS="$flags -std=c++14" --without-blas --without-lapack --without-glpk --without-sample --without-netlib --disable-bzlib --disable-zlib \
    --disable-dependency-tracking
}

build_clp() {
  configured CXXFLAGS="$flags -std=c++14" --without-blas --without-lapack --without-glpk --without-osi --without-sample --without-netlib --without-mumps \
    --without-asl --disable-dependency-tracking
}

# Only libcrypto, only SHA-256, ChaCha20, and random bytes with what they are made of; it reads no file of settings.
build_openssl() {
  ./Configure linux-x86_64 --prefix=/usr --openssldir=/etc/ssl --libdir=lib no-shared no-module no-dso no-engine no-legacy \
    no-tests no-autoload-config no-autoerrinit no-err no-ui-console no-stdio no-sock no-comp no-ct no-cms no-cmp no-ocsp no-ts no-srp no-srtp \
    no-psk no-nextprotoneg no-tls no-dtls no-ec no-dh no-dsa no-aria no-bf no-blake2 no-camellia no-cast no-cmac no-des \
    no-idea no-md4 no-mdc2 no-ocb no-poly1305 no-rc2 no-rc4 no-rmd160 no-scrypt no-seed no-siphash no-siv no-sm2 no-sm3 no-sm4 no-whirlpool \
    $flags
  make -j"$jobs" build_generated
  make -j"$jobs" libcrypto.a
  cp libcrypto.a "$prefix/lib"
  cp -r include/openssl "$prefix/include"
}

# The sources in one file, which SQLite's Makefile writes with tclsh.
build_sqlite() {
  ./configure --build=x86_64-pc-linux-gnu --disable-tcl --disable-shared --disable-readline
  make sqlite3.c
  cc $flags -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -c sqlite3.c
  ar rcs "$prefix/lib/libsqlite3.a" sqlite3.o
  cp sqlite3.h "$prefix/include"
}

build_zlib() {
  cc $flags -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1 -c ./*.c
  ar rcs "$prefix/lib/libz.a" ./*.o
  cp zlib.h zconf.h "$prefix/include"
}

# Only what unpacks.
build_zstd() {
  make -C lib -j"$jobs" libzstd.a CFLAGS="$flags" ZSTD_LIB_COMPRESSION=0 ZSTD_LIB_DICTBUILDER=0 ZSTD_LIB_DEPRECATED=0 ZSTD_LEGACY_SUPPORT=0
  make -C lib PREFIX="$prefix" install-pc
  cp lib/libzstd.a "$prefix/lib"
  cp lib/zstd.h lib/zstd_errors.h "$prefix/include"
}

build_bzip2() {
  local sources=(blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c)
  cc $flags -D_FILE_OFFSET_BITS=64 -c "${sources[@]}"
  ar rcs "$prefix/lib/libbz2.a" "${sources[@]/%.c/.o}"
  cp bzlib.h "$prefix/include"
}

# Only liblzma's decoders. Without threads, so without the decoder that uses them (CVE-2025-31115).
build_xz() {
  configured --disable-encoders --disable-threads --disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-lzma-links \
    --disable-scripts --disable-doc --disable-nls
}

# Headers alone. A newer clang wants the 512 bits of AVX-512 named, too.
build_highway() {
  sed -i 's/",avx512f,avx512vl,avx512dq,avx512bw"/",avx512f,avx512vl,avx512dq,avx512bw,evex512"/' hwy/ops/set_macros-inl.h
  cp -r hwy "$prefix/include"
}

build_fmt() { cp -r include/fmt "$prefix/include"; }

build_cli11() { by_cmake -DCLI11_BUILD_TESTS=OFF -DCLI11_BUILD_EXAMPLES=OFF -DCLI11_BUILD_DOCS=OFF -DCLI11_PRECOMPILED=OFF -DCLI11_SINGLE_FILE=OFF; }

# A newer clang sees that this operator, which is never called, assigns to a constant.
build_rapidjson() {
  sed -i '/GenericStringRef& operator=(const GenericStringRef& rhs) { s = rhs.s; length = rhs.length; }/d' include/rapidjson/document.h
  cp -r include/rapidjson "$prefix/include"
}

build_tomlplusplus() { cp -r usr/include/toml++ "$prefix/include"; }

# --- All of them -------------------------------------------------------------------------------------------------

# What decides what a library becomes: its row, the lines above that build it, the compiler, and what it was built upon.
recipe() { # NAME ROW...
  local body helper
  body=$(declare -f "build_$1")
  printf '%s\n' "${@:2}" "$flags" "$below" "$(grep '^ziglang' "$here/requirements.txt")" "$body"
  for helper in configured by_cmake archive; do
    if [[ $body == *"$helper "* ]]; then declare -f "$helper"; fi
  done
}

tools
export PATH=$folder/bin:$PATH CC=cc CXX=c++ AR=ar RANLIB=ranlib CFLAGS=$flags CXXFLAGS=$flags CPPFLAGS=-I$prefix/include
export LDFLAGS=-L$prefix/lib PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
mkdir -p "$prefix/lib" "$prefix/include" "$folder/built" "$folder/logs"
command -v m4 >/dev/null || die "GMP needs m4"
command -v tclsh >/dev/null || die "SQLite needs tclsh"
below=
while read -r name package file hash licence texts; do
  if [[ -z $name || $name == '#'* ]]; then continue; fi
  stamp=$(recipe "$name" "$package" "$file" "$hash" | sha256sum)
  # GMP, MPFR, FLINT and Arb stand on one another, in this order.
  case $name in gmp | mpfr | flint | arb) below=$stamp ;; *) below= ;; esac
  if [[ $stamp == "$(cat "$folder/built/$name" 2>/dev/null)" ]]; then continue; fi
  fetch "$package" "$file" "$hash"
  unpack "$name" "$file"
  say "building $name ($licence, texts: $texts); its log: $folder/logs/$name"
  set +e # and a shell of its own, outside any condition, so that -e holds in it
  (
    set -e
    cd "$folder/src/$name"
    "build_$name"
  ) >"$folder/logs/$name" 2>&1 </dev/null
  status=$?
  set -e
  if ((status != 0)); then
    tail -n 20 "$folder/logs/$name" >&2
    die "$name does not build"
  fi
  printf '%s\n' "$stamp" >"$folder/built/$name"
done <"$here/libraries.txt"
