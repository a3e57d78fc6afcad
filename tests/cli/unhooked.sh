#!/usr/bin/env bash
# clang has hooks for accesses of 1, 2, 4, 8 and 16 bytes alone.  Where a program has others, no finding
# is called certain, and the report says where they are.  Elsewhere the same finding is certain.
# What lies on the stack has hooks like everything else.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
shopt -s lastpipe # what comes last in a pipe counts its failures here

# The threads hand something over by what `set` writes and `get` reads, and there is a race on `other`.
cat >two.h <<'END'
#include <pthread.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int other;
static void *worker(void *x)
{
    pthread_mutex_lock(&m);
    int seen = get();
    pthread_mutex_unlock(&m);
    other += seen + 1;
    return x;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    set();
    pthread_mutex_unlock(&m);
    other++;
    return pthread_join(t, 0);
}
END

# A program from what stands on standard input and two.h: recorded, and checked.
checked() { # FLAGS: the first of them is the compiler, cc or c++
    local command=$1 source=program.c
    shift
    [ "$command" = cc ] || source=program.cc
    { cat; echo '#include "two.h"'; } >$source
    rm -f program t*.fwt
    expect 0 "$command" "$@" -w -pthread -I. $source -o program
    expect 0 record -q -o t.fwt -- ./program
    expect 66 check --analysis=race t.fwt
}

# All on one line: what it is, how it is set, what is got, for programs that differ in the type alone.
simple() { # TYPE VARIABLE WRITTEN READ
    echo "$1 $2; static void set(void) { $3; } static int get(void) { return $4; }"
}

withheld() { # WHAT FLAGS...
    local what=$1
    shift
    checked "$@"
    out_has "Not proven: clang's code has accesses without hooks: $what"
    out_has "no hooks at some accesses, so nothing is called certain: $what"
    out_lacks "Certain"
}

certain() { # FLAGS...
    checked "$@"
    out_has "Certain: "
    out_lacks "Not proven"
    out_lacks "without hooks"
}

for level in -O0 -O2; do
    clang="cc --compiler=clang -g $level"
    # long double
    simple "long double" x "x = 1" "x != 0" | withheld "long double at program.c:1 in " $clang
    simple "double" x "x = 1" "x != 0" | certain $clang
    simple "long double" x "x = 1" "x != 0" | certain cc --compiler=gcc -g $level
    # Vectors.
    simple "typedef int v __attribute__((vector_size(32))); v" x "x += 1" "x[5]" |
        withheld "a value of unusual size at program.c:1 in " $clang
    simple "typedef int v __attribute__((vector_size(16))); v" x "x += 1" "x[3]" | certain $clang
    # Bit-fields, of which what remains in the code may look like any other access.
    simple "struct s { unsigned a : 12, b : 12; char c; }" x "x.b = 1" "x.b" |
        withheld "bit-fields of struct s at program.c:1" $clang
    simple "struct s { unsigned a : 12, b : 12; }" x "x.b = 1" "x.b" | certain $clang
    simple "struct s { unsigned a : 12, b : 12; int c; }" x "x.b = 1" "x.b" | certain $clang
    simple "struct s { unsigned a : 12, : 12; char c; }" x "x.a = 1" "x.a" |
        withheld "bit-fields of struct s at program.c:1" $clang
    simple "struct s { unsigned a : 12, : 12, b : 8; char c; }" x "x.a = 1" "x.a" | certain $clang
    simple "struct __attribute__((packed)) s { long a : 40, b : 24; int c : 30; }" x "x.b = 1" "x.b" |
        withheld "bit-fields of struct s at program.c:1" $clang
    simple "struct __attribute__((packed)) s { unsigned long a : 20, b : 20; }" x "x.b = 1" "x.b" |
        withheld "bit-fields of struct s at program.c:1" $clang
    simple "struct s { unsigned long a : 20, b : 20; }" x "x.b = 1" "x.b" | certain $clang
    simple "union __attribute__((packed)) s { unsigned a : 20; }" x "x.a = 1" "x.a" |
        withheld "bit-fields of union s at program.c:1" $clang
    simple "union s { unsigned a : 20; int b; }" x "x.a = 1" "x.a" | certain $clang
    # Large structures by value.
    simple "struct s { long a[9]; } *p; __attribute__((noinline)) int of(struct s s) { return s.a[8]; } struct s" x \
        "p = &x; x.a[8] = 1" "p ? of(*p) : 0" | withheld "a value of unusual size at program.c:1 in " $clang
    simple "struct s { long a[9]; } *p; __attribute__((noinline)) int of(struct s *s) { return s->a[8]; } struct s" x \
        "p = &x; x.a[8] = 1" "p ? of(p) : 0" | certain $clang
    # One's own is nobody else's.
    simple "struct s { long a[9]; }; __attribute__((noinline)) int of(struct s s) { return s.a[8]; } long" x \
        "long double mine = x; x = mine / 3" "({ struct s s = { { x } }; of(s); })" | certain $clang
done

# Fields and elements of what lies on main's stack, and other threads were given, have their hooks: `other` is never
# accessed at once, since `ready` is waited for; two of -DLOST lose an update.
cat >field.c <<'END'
#include <pthread.h>
struct shared { pthread_mutex_t m; int a[4], ready; };
int other;
static void *worker(void *given)
{
    struct shared *s = (struct shared *)given;
    int ready = 0;
#ifdef LOST
    s->a[2]++;
#endif
    while (!ready) {
        pthread_mutex_lock(&s->m);
        ready = s->ready;
        pthread_mutex_unlock(&s->m);
    }
    other++;
    return 0;
}
int main(int count, char **arguments)
{
    struct shared s = { PTHREAD_MUTEX_INITIALIZER, { 0 }, 0 };
    pthread_t t;
    pthread_create(&t, 0, worker, &s);
    other++;
#ifdef LOST
    for (int i = 2; i < 2 + count; i++)
        s.a[i]++;
#endif
    pthread_mutex_lock(&s.m);
    s.ready = 1;
    pthread_mutex_unlock(&s.m);
    pthread_join(t, 0);
    return (int)(arguments[0][0] + s.a[2]) == 0;
}
END
cp field.c field.cc
on_stack() { # COMPILER FLAGS... SOURCE
    rm -f program t*.fwt
    expect 0 "$@" -g -pthread -o program
    expect 0 record -q -o t.fwt -- ./program
    expect 0 check --analysis=race t.fwt
    out_has "race: 0 findings"
    expect 0 "$@" -DLOST -g -pthread -o program
    expect 0 record -q -o t.fwt -- ./program
    expect 66 check --analysis=race t.fwt
    out_has "Certain: " "field.c"
    out_lacks "'other'" "Not proven"
}
for level in -O0 -O1 -O2 -O3; do
    on_stack cc --compiler=clang $level field.c
done
on_stack cc --compiler=clang -O0 -Xclang -disable-O0-optnone field.c
on_stack cc --compiler=clang -O2 -flto field.c
on_stack c++ --compiler=clang -O2 field.cc
on_stack cc --compiler=gcc -O2 field.c

# Values of 3, 5, 6 and 7 bytes arise where optimisation makes them.
small="struct s { char a[N]; }; __attribute__((noinline)) int of(struct s s) { return s.a[0]; } struct s"
cat >copied.c <<'END'
#include <string.h>
char x[16];
static void set(void) { x[0] = 1; }
static int get(void)
{
    unsigned long y = 0;
    memcpy(&y, x, N);
    return y % 251;
}
END
for n in 3 5 6 7; do
    simple "$small" x "x.a[0] = 1" "of(x)" |
        withheld "a value of unusual size at program.c:1 in " cc --compiler=clang -g -O2 -DN=$n
    withheld "a value of unusual size" cc --compiler=clang -g -O2 -DN=$n <copied.c
done
for n in 4 8; do
    simple "$small" x "x.a[0] = 1" "of(x)" | certain cc --compiler=clang -g -O2 -DN=$n
    certain cc --compiler=clang -g -O2 -DN=$n <copied.c
done

# Code tells by itself; types only with debug information.
simple "long double" x "x = 1" "x != 0" | withheld "long double at program+0x" cc --compiler=clang -O2
simple "double" x "x = 1" "x != 0" | certain cc --compiler=clang -O2

# Masks: only where the processor has them can the program run.
if grep -qw avx2 /proc/cpuinfo; then
    masked="int a[64], c[64]; __attribute__((noinline)) int some(int n)"
    simple "$masked { int s = 0; for (int i = 0; i < n; i++) if (c[i]) s += a[i]; return s; } int" n \
        "n = 64; a[5] = c[5] = 1" "some(n)" |
        withheld "a wide or masked vector at program.c:1 in " cc --compiler=clang -g -O2 -mavx2
    simple "$masked { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; } int" n \
        "n = 64; a[5] = 1" "some(n)" | certain cc --compiler=clang -g -O2 -mavx2
fi

# For programs.
expect 66 check --analysis=race --format=json t.fwt
out_has '"guarantee":"sound"'
out_has '"unhooked":[]'
simple "long double" x "x = 1" "x != 0" | withheld "long double" cc --compiler=clang -g -O2
expect 66 check --analysis=race --format=json t.fwt
out_has '"guarantee":"heuristic"'
out_has '"unhooked":["long double at program.c:1 in '
out_lacks '"guarantee":"sound"'
expect 66 run -q -- ./program
out_has "Not proven: clang's code has accesses without hooks: long double at program.c:1 in "
# Another program than was recorded is not looked at; nor is one that is not there.
simple "double" x "x = 1" "x != 0" >program.c
echo '#include "two.h"' >>program.c
expect 0 cc --compiler=clang -g -O2 -w -pthread -I. program.c -o program
expect 66 check --analysis=race t.fwt
out_lacks "without hooks"
rm program
expect 66 check --analysis=race t.fwt
out_lacks "without hooks"

# C++: templates with long double, and classes whose last bytes others may use.
for level in -O0 -O2; do
    clang="c++ --compiler=clang -g $level"
    simple "#include <vector>
std::vector<long double>" x "x.push_back(1)" "x.size() && x[0] > 0" | withheld "long double at " $clang
    simple "#include <vector>
std::vector<double>" x "x.push_back(1)" "x.size() && x[0] > 0" | certain $clang
    simple "class c { unsigned a : 12, b : 12; public: c() : a(0), b(0) {} void put(int n) { b = n; } int value() { return b; } }" \
        x "x.put(1)" "x.value()" | withheld "bit-fields of class c at program.cc:1" $clang
    simple "class c { unsigned a : 16, b : 16; public: c() : a(0), b(0) {} void put(int n) { b = n; } int value() { return b; } }" \
        x "x.put(1)" "x.value()" | certain $clang
    # What ordinary programs use of the library has nothing of it.
    certain $clang -std=c++17 <<'END'
#include <algorithm>
#include <any>
#include <array>
#include <bitset>
#include <charconv>
#include <chrono>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>
struct base { virtual ~base() {} virtual int f() const { return 1; } };
struct left : virtual base { int f() const override { return 2; } };
struct right : virtual base { std::array<char, 3> a{}; };
struct both : left, right { int f() const override { return 3; } };
static const struct { const char *name; short code; char flag; } table[] = { { "a", 1, 2 }, { "b", 3, 4 } };
static std::map<std::string, std::vector<int>> names;
static std::unordered_map<int, std::string> numbers;
static std::shared_ptr<base> object;
static std::variant<int, std::string> either;
static std::complex<double> number;
static std::set<std::tuple<int, char, short>> tuples;
static std::list<std::pair<char, short>> pairs;
static std::bitset<40> bits;
static std::filesystem::path path;
static std::any anything;
static std::shared_mutex shared;
static int n;
static void set()
{
    std::mt19937 random(7);
    std::uniform_int_distribution<int> die(1, 6);
    std::normal_distribution<double> bell;
    int local[100];
    for (int i = 0; i < 100; i++) local[i] = die(random) + (int)bell(random);
    std::sort(local, local + 100);
    names["a"].assign(local, local + 50);
    for (int i = 0; i < 40; i++) numbers[i] = std::to_string(i) + std::to_string((long double)i);
    object = std::make_shared<both>();
    either = std::string(table[n & 1].name);
    std::ostringstream out;
    out << std::setprecision(3) << std::sqrt(2.0) << table[n & 1].code << (int)table[n & 1].flag << 2.5L;
    std::istringstream in(out.str());
    double d = 0;
    in >> d;
    auto later = std::async(std::launch::deferred, [d] { return std::pow(d, 2.5); });
    n = (int)later.get() + (d > std::numeric_limits<long double>::max());
    std::unique_lock<std::shared_mutex> lock(shared);
    number = std::exp(std::complex<double>(d, 1));
    tuples.insert({ n, 'a', 3 });
    pairs.push_back({ 'b', 2 });
    bits.set(n & 31).flip();
    path = std::filesystem::path("/tmp") / "x.y";
    anything = path.extension().string();
    char digits[20];
    std::to_chars(digits, digits + sizeof digits, n);
    std::from_chars(digits, digits + 1, n);
    FILE *file = std::fopen("/dev/null", "w");
    std::fprintf(file, "%Lf %s\n", (long double)d, std::get<std::string>(either).c_str());
    std::fclose(file);
    std::cerr << std::flush;
}
static int get()
{
    std::optional<int> found;
    for (auto &entry : names) found = (int)entry.second.size();
    return found.value_or(0) + n + (object ? object->f() : 0) + (int)numbers.size();
}
END
done

# Masks of characters have 3 bytes in libstdc++, which are loaded and stored as such when optimised.
withheld 'a value of unusual size' c++ --compiler=clang++ -g -O2 -std=c++17 <<'END'
#include <regex>
static std::regex pattern;
static void set() { pattern = std::regex("[[:alpha:]]+"); }
static int get() { return std::regex_match("ab", pattern); }
END
finish
