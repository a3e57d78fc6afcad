#!/usr/bin/env bash
# debian_source.sh PACKAGE FOLDER - fetches and unpacks the source of a Debian package below FOLDER
# and prints where it is.  Uses the package sources that the machine is set up with, by a private
# copy of their list that also asks for sources; changes nothing outside FOLDER.  Done once: a
# source that is there already is used.  Ends with 77 if the source cannot be had.
set -eu
say() { echo "debian_source.sh: $*" >&2; }
package=${1:?usage: debian_source.sh PACKAGE FOLDER}
mkdir -p "${2:?usage: debian_source.sh PACKAGE FOLDER}"
folder=$(cd "$2" && pwd)
apt=$folder/.apt

unpacked() { find "$folder/$package" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | head -n 1; }
if [ -e "$folder/$package/.complete" ]; then
    unpacked
    exit 0
fi
for tool in apt-get dpkg-source; do
    command -v "$tool" >/dev/null || { say "'$tool' is missing: no source of '$package'" && exit 77; }
done

options=(-q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts="$apt/parts"
         -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=
         -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
if [ ! -e "$apt/updated" ]; then
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
    : >"$apt/sources.list"
    # Only the distribution's own sources, which its key has signed; others may have no source packages.
    for file in /etc/apt/sources.list.d/*.sources; do
        grep -qs debian-archive-keyring "$file" || continue
        sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/${file##*/}"
    done
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n 's/^deb \(.*debian.*\)/deb-src \1/p' >>"$apt/sources.list" || true
    timeout 300 apt-get "${options[@]}" update >"$apt/log" 2>&1 ||
        { tail -n 3 "$apt/log" >&2 && say "no list of sources: no source of '$package'" && exit 77; }
    touch "$apt/updated"
fi
rm -rf "${folder:?}/$package"
mkdir -p "$folder/$package"
(cd "$folder/$package" && timeout 300 apt-get "${options[@]}" --only-source source "$package") \
    >"$apt/log" 2>&1 ||
    { tail -n 3 "$apt/log" >&2 && say "cannot fetch the source of '$package'" && exit 77; }
touch "$folder/$package/.complete"
unpacked
