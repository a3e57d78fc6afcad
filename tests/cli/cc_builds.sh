#!/usr/bin/env bash
# A project (tests/builds) is built by make, autotools, CMake and Meson with the wrapper for a
# compiler, in both of its names; what comes out has hooks and the runtime, runs as it should, and can be
# recorded.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
unset FOREWEAVE_CC FOREWEAVE_CXX FOREWEAVE_QUIET CC CXX CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS DESTDIR
project=$scratch/project
cp -r "$FOREWEAVE_SOURCE/tests/builds" "$project"
mkdir bin
for name in foreweave foreweave-cc foreweave-c++; do
    ln -s "$(dirname "$FOREWEAVE")/$name" bin/$name
done
export PATH=$scratch/bin:$PATH

step() { # COMMAND...: quiet unless it fails
    last="$*"
    "$@" >step.log 2>&1 || { complain "failed:"; tail -30 step.log; return 1; }
}

# DIR: post and crew are there, linked and hooked, and right.  The shared library likewise.
good() {
    local dir=$1 program library
    last="$2"
    for program in post crew; do
        [ -x "$dir/$program" ] || { complain "no $program"; continue; }
        readelf -d "$dir/$program" | grep NEEDED | head -1 | grep -q foreweave || complain "$program: the runtime is not its first library"
        ! ldd "$dir/$program" | grep -q tsan || complain "$program: libtsan is there"
        nm "$dir/$program" | grep -q 'U __tsan_write4' || complain "$program: no hooks"
    done
    library=$(find "$dir" -name 'libmailbox.so' | head -1)
    nm "$library" | grep -q 'U __tsan_write4' || complain "libmailbox: no hooks"
    nm "$library" | grep -q 'U __sanitizer_cov_trace_pc' || complain "libmailbox: no hooks of branches"
    readelf -d "$library" | grep -q foreweave || complain "libmailbox: no runtime"
    [ "$(timeout 300 "$dir/post")" = "total 4950" ] || complain "post is wrong"
    [ "$(timeout 300 "$dir/crew")" = "total 42, failures 1" ] || complain "crew is wrong"
    recorded "$2" "total 4950" "$dir/post"
    recorded "$2" "total 42, failures 1" "$dir/crew"
}

# WAY OUTPUT PROGRAM: recorded, it prints the same, and there is no race to foresee.
recorded() {
    last="$1: foreweave record -- $3"
    [ "$(timeout 300 foreweave record -q -o t.fwt -- "$3" 2>&1)" = "$2" ] || complain "recorded, it prints something else"
    timeout 300 foreweave check --analysis=race,deadlock t.fwt >"$out" 2>&1 || { complain "findings:"; head -20 "$out"; }
    foreweave trace info t.fwt | grep -qE 'by kind.* r [0-9]+ w [0-9]+' || complain "no accesses in the trace"
}

names() { # one|two words
    if [ "$1" = two ]; then
        export CC="foreweave cc" CXX="foreweave c++"
    else
        export CC=foreweave-cc CXX=foreweave-c++
    fi
}

for way in "two gcc" "one clang"; do
    names ${way% *}
    export FOREWEAVE_CC=${way#* }
    tag=${way/ /-}

    mkdir "make-$tag"
    step make -C "make-$tag" -f "$project/plain.mk" SOURCE="$project" CC="$CC" CXX="$CXX" &&
        good "make-$tag" "make, $way"

    step cmake -S "$project" -B "cmake-$tag" -G Ninja -DCMAKE_BUILD_TYPE=Release &&
        step cmake --build "cmake-$tag" -j 2 && good "cmake-$tag" "CMake, $way"

    step meson setup "meson-$tag" "$project" && step ninja -C "meson-$tag" -j 2 && good "meson-$tag" "Meson, $way"

    [ -x "$project/configure" ] || step autoreconf -fi "$project"
    mkdir "autotools-$tag" && cd "autotools-$tag" && step ../project/configure --prefix="$scratch/inst-$tag" --disable-dependency-tracking &&
        step make -j 2 install && good .libs "autotools, $way"
    recorded "autotools' script for a program, $way" "total 4950" ./post
    cd "$scratch" || exit 1
    last="autotools' installed program, $way"
    [ "$("inst-$tag/bin/post")" = "total 4950" ] || complain "installed post is wrong"
done

# The compiler as CMake's own variables; interprocedural optimisation, which goes.
unset CC CXX FOREWEAVE_CC
step cmake -S "$project" -B cmake-path -DCMAKE_C_COMPILER=foreweave-cc -DCMAKE_CXX_COMPILER="$scratch/bin/foreweave-c++" &&
    step cmake --build cmake-path -j 2 && good cmake-path "CMake, names of compilers"
names two
step cmake -S "$project" -B cmake-ipo -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON &&
    step cmake --build cmake-ipo -j 2 && good cmake-ipo "CMake, interprocedural optimisation"
finish
