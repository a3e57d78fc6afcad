#!/bin/sh
# setup.sh build|fuzz|bench|realworld - installs the Debian packages that are missing, or says which they are.
# Fast when nothing is missing.  Elsewhere than on Debian and its relatives it does nothing: the
# configuration step names what it does not find.
set -eu

case "${1:-build}" in
# The second line is what the tests of the compiler wrapper, of replay and of the memo database use.
build) packages="gcc libc6-dev cmake ninja-build libzstd-dev libxxhash-dev libcjson-dev libdw-dev libelf-dev libcapstone-dev libsqlite3-dev libpq-dev libcmocka-dev libz3-dev
                 g++ clang binutils make autoconf automake libtool meson gdb jq sqlite3 postgresql" ;;
fuzz) packages="clang libclang-rt-14-dev" ;;
bench) packages="gcc g++ clang libclang-rt-14-dev valgrind dpkg-dev" ;;
realworld) packages="gcc g++ make dpkg-dev pkg-config python3 libevent-dev tcl perl" ;;
*) echo "usage: setup.sh build|fuzz|bench|realworld" >&2; exit 2 ;;
esac

command -v dpkg-query >/dev/null 2>&1 || exit 0

missing=""
for package in $packages; do
    state=$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null || true)
    case "$state" in
    ii*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root="sudo"
else
    echo "foreweave: these Debian packages are missing:$missing" >&2
    echo "foreweave: install them as root:  apt-get install$missing" >&2
    exit 1
fi

echo "foreweave: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { $as_root env DEBIAN_FRONTEND=noninteractive apt-get update &&
       $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
           $missing; } >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    echo "foreweave: could not install$missing (apt-get said the above)" >&2
    exit 1
fi
