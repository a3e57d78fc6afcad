#!/usr/bin/env bash
# The compiler wrapper: hooks in all code, our runtime first among the libraries, never the
# sanitizer's; everything else is as the compiler itself does it.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
unset FOREWEAVE_CC FOREWEAVE_CXX FOREWEAVE_QUIET
bin=$(dirname "$FOREWEAVE")
command -v gcc >/dev/null && command -v clang >/dev/null && command -v g++ >/dev/null ||
    { echo "gcc, g++ and clang are needed"; exit 1; }

hooked() { nm "$1" | grep -q 'U __tsan_write4' && nm "$1" | grep -q 'U __sanitizer_cov_trace_pc' || complain "$1 has no hooks"; }
bare() { ! nm "$1" | grep -qE '__(tsan|sanitizer_cov)_' || complain "$1 has hooks"; }
# Our runtime is the first library, and the sanitizer's is not there.
linked() {
    readelf -d "$1" >dynamic
    grep NEEDED dynamic | head -1 | grep -q 'libforeweave_rt\.so' || { complain "$1: the runtime is not the first library"; cat dynamic | head -5; }
    ! grep -qE 'lib(t|ub|a)san' dynamic || complain "$1: a sanitizer is linked"
    ! nm "$1" | grep -q ' [TW] __tsan_' || complain "$1: hooks are linked in"
}
unlinked() { ! readelf -d "$1" 2>/dev/null | grep -q foreweave || complain "$1: the runtime is linked"; }
runs() { # PROGRAM OUTPUT...
    local got
    got=$(timeout 300 "$1" 2>&1) || complain "$1 failed: $got"
    [ "$got" = "${2-}" ] || complain "$1 printed '$got', not '${2-}'"
}

cat >prog.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
int plain;
atomic_int count;
extern int part(int);
static void *work(void *arg)
{
    for (int i = 0; i < 100; i++)
        atomic_fetch_add(&count, 1);
    atomic_thread_fence(memory_order_seq_cst);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    plain = part(40);
    printf("%d %d\n", atomic_load(&count), plain);
    return 0;
}
C
cat >part.c <<'C'
int parts;
int part(int x) { parts++; return x + parts + 1; }
C
cat >one.c <<'C'
#include <stdio.h>
int x;
int main(int argc, char **argv) { (void)argv; x = argc; puts("one"); return 0; }
C
cat >plus.cc <<'C'
#include <atomic>
#include <future>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
struct Error : std::runtime_error { using std::runtime_error::runtime_error; };
static std::atomic<int> count{0};
static std::mutex mutex;
static int guarded;
static int fails(int x) { if (x > 2) throw Error("too large"); return x; }
int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([] {
            for (int k = 0; k < 50; k++) {
                count.fetch_add(1, std::memory_order_relaxed);
                std::lock_guard<std::mutex> hold(mutex);
                guarded++;
            }
        });
    for (auto &thread : threads)
        thread.join();
    auto future = std::async(std::launch::async, [] { return fails(3); });
    try {
        future.get();
    } catch (const Error &error) {
        std::cout << count << ' ' << guarded << ' ' << error.what() << '\n';
    }
    return 0;
}
C
cat >plugin.c <<'C'
int calls;
int plugin(void) { return ++calls; }
C
cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *lib = dlopen(argv[1], RTLD_NOW);
    int (*f)(void) = lib ? (int (*)(void))dlsym(lib, "plugin") : NULL;
    if (argc < 2 || !f) { puts(dlerror()); return 1; }
    f();
    printf("called %d\n", f());
    return dlclose(lib);
}
C
printf '#include <stdatomic.h>\n#define STAMP 7\n' >pre.h
printf '#include "pre.h"\nint x;\nint f(void) { x = STAMP; return x; }\n' >with_pre.c
printf '.text\n.globl seven\nseven:\n mov $7, %%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' >seven.s
printf '#define N 8\n.text\n.globl eight\neight:\n mov $N, %%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' >eight.S

for compiler in gcc clang; do
    cc=(cc "--compiler=$compiler")
    cxx=(c++ "--compiler=$compiler")
    extra=-Wno-unused-parameter
    for level in -O0 -O1 -O2 -O3; do
        expect 0 "${cc[@]}" -Wall -Wextra -Werror $level -c prog.c -o prog.o
        silent
        hooked prog.o
        expect 0 "${cc[@]}" -Werror $level -c part.c -o part.o
        expect 0 "${cc[@]}" -Werror $level prog.o part.o -o prog
        silent
        linked prog
        runs ./prog "200 42"
        expect 0 "${cxx[@]}" -Werror $level plus.cc -o plus
        silent
        linked plus
        nm plus | grep -q 'U __tsan_write4' || complain "no hooks in plus"
        runs ./plus "150 150 too large"
    done

    # One step; a static library; a shared one, whose undefined symbols are not allowed.
    expect 0 "${cc[@]}" -g -O2 prog.c part.c -o onestep
    silent
    linked onestep
    hooked onestep
    runs ./onestep "200 42"
    rm -f libpart.a libpart.so
    ar rc libpart.a part.o
    expect 0 "${cc[@]}" prog.c -L. -lpart -o with_archive
    runs ./with_archive "200 42"
    for strict in -Wl,-z,defs -Wl,--no-undefined; do
        expect 0 "${cc[@]}" -shared -fPIC -fvisibility=default $strict part.c -o libpart.so
        silent
        linked libpart.so
    done
    expect 0 "${cc[@]}" -Wl,--as-needed prog.c ./libpart.so -o with_shared
    linked with_shared
    runs ./with_shared "200 42"
    expect 0 "${cc[@]}" -O2 -s -ffunction-sections -fdata-sections -Wl,--gc-sections -fvisibility=hidden -D_FORTIFY_SOURCE=2 prog.c part.c -o stripped
    silent
    readelf -d stripped | grep -q foreweave || complain "no runtime in stripped"
    runs ./stripped "200 42"
    expect 0 "${cc[@]}" -no-pie -fno-pie prog.c part.c -o fixed
    runs ./fixed "200 42"
    expect 0 "${cc[@]}" -nostartfiles -shared -fPIC part.c -o libpart2.so
    linked libpart2.so

    # A plugin, opened by a host with hooks and by one without.
    expect 0 "${cc[@]}" -shared -fPIC plugin.c -o plugin.so
    hooked plugin.so
    expect 0 "${cc[@]}" host.c -o host
    $compiler host.c -o bare_host
    for host in ./host ./bare_host; do
        last="$host ./plugin.so ($compiler)"
        [ "$($host ./plugin.so 2>&1)" = "called 2" ] || complain "dlopen failed: $($host ./plugin.so 2>&1)"
    done

    # Calls that end before a link, in all their forms.
    for stop in -E -M -MM -S -fsyntax-only "-E -dM" "-c -x c"; do
        # shellcheck disable=SC2086
        expect 0 "${cc[@]}" -Werror $stop one.c -o stopped
        silent
        unlinked stopped
        rm -f stopped
    done
    expect 0 "${cc[@]}" -S -o - one.c
    out_has "__tsan_write4"
    expect 0 "${cc[@]}" -c -MMD -MF one.d one.c -o one.o
    grep -q '^one.o: one.c' one.d || complain "no dependencies"
    expect 0 "${cc[@]}" -c -save-temps one.c -o one.o
    hooked one.o
    expect 0 "${cc[@]}" -r one.o part.o -o both.o
    silent
    expect 0 "${cc[@]}" -no-pie -nostdlib -Wl,-r one.o part.o -o both.o
    silent
    expect 0 "${cc[@]}" -xc - -o from_stdin <one.c
    linked from_stdin
    runs ./from_stdin one
    for source in seven.s eight.S; do
        expect 0 "${cc[@]}" -Werror -c $source -o asm.o
        silent
        bare asm.o
    done
    expect 0 "${cc[@]}" -x assembler-with-cpp -c eight.S -o asm.o
    rm -f pre.h.*
    expect 0 "${cc[@]}" -x c-header pre.h -o pre.h.gch
    silent
    [ -s pre.h.gch ] && ! readelf -h pre.h.gch >"$err" 2>&1 || complain "no precompiled header"
    expect 0 "${cc[@]}" -Winvalid-pch -Werror -c with_pre.c -o with_pre.o
    silent
    rm -f pre.h.gch
    expect 0 "${cc[@]}" pre.h
    [ -s pre.h.gch ] || [ -s pre.h.pch ] || complain "no precompiled header by default"
    rm -f pre.h.gch pre.h.pch

    # Response files: read, and still dropped from.
    printf -- '-O2 "one.c"\n-o '"'from response'"'\n' >args.rsp
    expect 0 "${cc[@]}" @args.rsp
    linked "from response"
    printf -- '@args.rsp -static' >outer.rsp
    expect 0 "${cc[@]}" @outer.rsp
    err_is "foreweave: cc: -static is dropped: the runtime is a shared library"
    linked "from response"
    expect 1 "${cc[@]}" @missing.rsp

    # Questions are answered by the compiler itself.
    for question in --version -v -dumpmachine -dumpversion -print-search-dirs -print-prog-name=ld -print-file-name=libc.so; do
        expect 0 "${cc[@]}" $question
        cat "$out" "$err" >ours
        $compiler $question >theirs 2>&1
        same ours theirs
    done
    expect 0 "${cc[@]}" -Wl,--version
    out_has "GNU ld"
    expect 0 "${cc[@]}" '-###' one.c
    err_has "libforeweave_rt.so"
    expect 1 "${cc[@]}"
    err_has "no input files"
    expect 1 "${cc[@]}" nowhere.c
    expect 1 "${cc[@]}" --no-such-option one.c

    # What the user asks for: no hooks; the sanitizer, which is ours; another one beside it.
    expect 0 "${cc[@]}" -fno-sanitize=thread -c one.c -o one.o
    silent
    bare one.o
    expect 0 "${cc[@]}" -fno-sanitize=all one.c -o unhooked
    linked unhooked
    expect 0 "${cc[@]}" -fno-sanitize=thread -fsanitize=thread one.c -o one
    silent
    linked one
    hooked one
    runs ./one one
    expect 0 "${cc[@]}" -fsanitize=thread,undefined -fsanitize-undefined-trap-on-error one.c -o one
    silent
    linked one
    hooked one
    runs ./one one
    for rival in address memory leak thread,address hwaddress; do
        expect 2 "${cc[@]}" -fsanitize=$rival one.c -o rival
        one_error 2
        err_has "foreweave: cc: -fsanitize=${rival#thread,} and Foreweave do not go together"
        [ ! -e rival ] || complain "compiled"
    done

    # What cannot stay is dropped and said, once.
    for static in -static --static -static-pie; do
        [ $compiler$static != clang--static ] || continue
        expect 0 "${cc[@]}" $static one.c -o static
        err_is "foreweave: cc: $static is dropped: the runtime is a shared library"
        linked static
        runs ./static one
    done
    expect 0 "${cc[@]}" -fno-pie -c one.c -o one.o
    expect 0 "${cc[@]}" -static -static-libgcc one.o -o static
    runs ./static one
    FOREWEAVE_QUIET=1 expect 0 "${cc[@]}" -static one.c -o static
    silent
    expect 0 "${cc[@]}" -static -c one.c -o one.o
    silent
    expect 0 "${cc[@]}" -Wl,-Bstatic -lm -Wl,-Bdynamic one.c -o partly
    linked partly
    expect 0 "${cc[@]}" -fsanitize-coverage=trace-pc one.c -o one
    err_is "foreweave: cc: -fsanitize-coverage=trace-pc is dropped: its hooks are Foreweave's own"
    linked one
    printf 'void _start(void) { for (;;) ; }\n' >free.c
    expect 0 "${cc[@]}" -nostdlib -static free.c -o free
    err_is "foreweave: cc: -nostdlib: the runtime needs libc, so it is not linked, and this call adds no hooks"
    unlinked free
    bare free
    expect 0 "${cc[@]}" -shared -fPIC -nostdlib part.c -lc -o libpart3.so # as libtool does
    silent
    linked libpart3.so

    # The compiler's end is ours.
    printf 'int main(void) { return y; }\n' >wrong.c
    expect 1 "${cc[@]}" wrong.c
    err_has "wrong.c:1"
    printf '#include <foreweave/annotate.h>\nint x; int main(void) { x = 1; return 0; }\n' >annotated.c
    expect 0 "${cc[@]}" -Wall -Wextra -Werror -pedantic annotated.c -o annotated
    silent
    runs ./annotated
    cp annotated.c annotated.cc
    expect 0 "${cxx[@]}" -Wall -Wextra -Werror -pedantic annotated.cc -o annotated
    silent
    printf '#include <valgrind/helgrind.h>\nint main(void) { int x; ANNOTATE_HAPPENS_BEFORE(&x); return 0; }\n' >helgrind.c
    expect 0 "${cc[@]}" helgrind.c -o helgrind
    nm helgrind | grep -q ' w foreweave_' || complain "not our version of Valgrind's header"
    runs ./helgrind
done

# clang has no hooks for what is wider than 16 bytes, so its loops stay within that.
cat >loop.c <<'END'
int a[1024];
void add(int value, int count) { for (int i = 0; i < count; i++) a[i] += value; }
END
clang -O2 -mavx2 -S loop.c -o - | grep -q ymm || complain "clang alone makes no wide accesses"
expect 2 cc -O2 -S loop.c --compiler=clang -o -
err_has "--compiler comes before the compiler's own arguments"
expect 0 cc --compiler=clang -O2 -mavx2 -S loop.c -o -
out_has "__tsan_"
out_lacks ymm

# Neither by elements that lie apart nor where the code is straight.
cat >apart.c <<'END'
struct pair { unsigned a, b; };
void apart(unsigned *restrict to, const struct pair *from, int count)
{
    for (int i = 0; i < count; i++) to[i] = from[i].b;
}
int straight(const unsigned *a, const unsigned *b)
{
    unsigned above = 0;
    for (int i = 0; i < 8; i++) above |= a[i] > b[i];
    return above;
}
END
clang -O2 -S -emit-llvm apart.c -o - >apart.ll
[ "$(grep -c 'load <8 x i32>' apart.ll)" -ge 3 ] || complain "clang alone makes no wide accesses"
expect 0 cc --compiler=clang -O2 -S -emit-llvm apart.c -o -
out_has "__tsan_"
out_lacks 'load <8 x i32>'

# Link-time optimisation: gcc loses the hooks, so it goes; clang keeps them, so it stays.
for lto in -flto -flto=auto "-flto -ffat-lto-objects -fwhole-program"; do
    # shellcheck disable=SC2086
    expect 0 cc -O2 $lto prog.c part.c -o lto
    err_is "foreweave: cc: ${lto%% *} is dropped: gcc loses the hooks in link-time optimisation"
    hooked lto
    runs ./lto "200 42"
done
for lto in -flto -flto=thin; do
    expect 0 cc --compiler=clang -O2 $lto prog.c part.c -o lto
    silent
    hooked lto
    linked lto
    runs ./lto "200 42"
done

# Checks within a thread: gcc's library comes behind ours, clang's would come before it.
printf '#include <stdio.h>\nint main(int c, char **v) { (void)v; c += 0x7ffffffe; c++; return puts("end") < 0; }\n' >overflow.c
expect 0 cc -fsanitize=undefined,thread overflow.c -o overflow
silent
readelf -d overflow | grep NEEDED | head -1 | grep -q foreweave || complain "the runtime is not the first library"
./overflow 2>&1 | grep -q "signed integer overflow" || complain "no check of overflows"
expect 0 cc --compiler=clang -fsanitize=undefined overflow.c -o overflow
err_has "foreweave: cc: -fsanitize=undefined is dropped: clang's library for it takes Foreweave's hooks"
linked overflow
runs ./overflow end

# Copies and fills of a constant size are left to libc, where the runtime sees them; builtins by name
# with clang all, with gcc all above what it moves piece by piece.
copies() { # PREFIX SIZE
    printf '#include <string.h>\nchar a[4096], b[4096]; void f(void) { %smemcpy(a, b, %d); } void g(void) { %smemset(a, 1, %d); }\n' \
        "$1" "$2" "$1" "$2" >copy.c
    for compiler in gcc clang; do
        for level in -O0 -O2; do
            expect 0 cc --compiler=$compiler $level -c copy.c -o copy.o
            nm copy.o | grep -q 'U memcpy' && nm copy.o | grep -q 'U memset' || complain "no call for $1 $2 bytes"
        done
    done
}
copies __builtin_ 512
copies __builtin_ 4096
copies "" 24
copies "" 64

# Which compiler it is.
is_gcc() { expect 0 "$@"; out_has "Free Software Foundation"; }
is_clang() { expect 0 "$@"; out_has "clang version"; }
is_gcc cc --version
is_clang cc --compiler=clang --version
is_clang cc --compiler clang --version
is_clang c++ --compiler="$(command -v clang)" --version
FOREWEAVE_CC=clang is_clang cc --version
FOREWEAVE_CC=clang is_clang c++ --version
FOREWEAVE_CC=clang FOREWEAVE_CXX=g++ is_gcc c++ --version
FOREWEAVE_CC=clang is_gcc cc --compiler=gcc --version
FOREWEAVE_OPTIONS=compiler=clang is_clang cc --version
FOREWEAVE_CC="env clang" is_clang cc --version
FOREWEAVE_CC="env clang" expect 0 c++ -O2 plus.cc -o plus
runs ./plus "150 150 too large"
# cc and c++ are links on Debian; a name that says nothing is asked.
expect 0 c++ --compiler=cc plus.cc -o plus
runs ./plus "150 150 too large"
for compiler in gcc clang; do
    printf '#!/bin/sh\nexec %s "$@"\n' $compiler >mycompiler
    chmod +x mycompiler
    expect 0 cc --compiler=./mycompiler one.c -o one
    hooked one
    linked one
done
[ "$("$FOREWEAVE" c++ --compiler=clang -dumpversion)" = "$(clang++ -dumpversion)" ] || complain "not clang++"
expect 127 cc --compiler=no-such-compiler one.c
one_error
err_has "there is no compiler 'no-such-compiler': install it, or name another one"
expect 126 cc --compiler=./one.c one.c
one_error
expect 2 cc --compiler=foreweave-cc one.c
err_has "no compiler but Foreweave itself"
FOREWEAVE_CC="$bin/foreweave-cc" expect 2 cc one.c
expect 2 cc --compiler= one.c
one_error 2

# The other names, and help.
for name in foreweave-cc foreweave-c++; do
    last="$name one.c"
    "$bin/$name" -x c one.c -x none -o one >"$out" 2>"$err" || complain "$name failed"
    silent
    linked one
    "$bin/$name" --help >"$out" || complain "no help"
    out_has "Usage: g"
    "$bin/$name" --version >"$out" || complain "no version"
    out_has "Free Software Foundation"
done
expect 0 cc --help
out_has "foreweave cc - compile and link"
expect 0 cc --help -v # the compiler's own
err_has "gcc"
out_has "Usage: gcc"

# An installed tree works from anywhere, also through links and with odd characters.
prefix="$scratch/an odd, place"
mkdir -p "$prefix/bin" "$prefix/lib/foreweave" "$prefix/include" other
cp "$FOREWEAVE" "$prefix/bin/foreweave"
cp "$bin/libforeweave_rt.so" "$bin/gcc.specs" "$prefix/lib/foreweave/"
cp -r "$bin/include/." "$prefix/include/"
ln -s "$prefix/bin/foreweave" other/foreweave-cc
for compiler in gcc clang; do
    last="an installed foreweave-cc, $compiler"
    other/foreweave-cc --compiler=$compiler -O2 prog.c part.c -o prog || complain "failed"
    linked prog
    readelf -d prog | grep -qF "[$prefix/lib/foreweave]" || complain "no path to the runtime"
    runs ./prog "200 42"
done
rm "$prefix/lib/foreweave/libforeweave_rt.so"
last="foreweave-cc without its runtime"
other/foreweave-cc one.c -o one 2>"$err" && complain "went on"
err_has "cannot read the runtime library '$prefix/lib/foreweave/libforeweave_rt.so'"
finish
