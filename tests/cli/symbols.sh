#!/usr/bin/env bash
# What was recorded is shown as in the program's source: lines, functions, variables, stacks.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"

# Consecutive lines.
out_tells() {
    case "$(cat "$out")" in
    *"$1"*) ;;
    *) complain "did not print '$1' but:"; head -40 "$out" ;;
    esac
}

cat >hidden.c <<'END'
#include <pthread.h>
struct account { int id; long balance; } accounts[4];
int x, y, z;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static inline __attribute__((always_inline)) void set(int value)
{
    x = value;
}
__attribute__((noinline)) static void work(void)
{
    pthread_mutex_lock(&l); y++; pthread_mutex_unlock(&l);
    set(2);
    accounts[2].balance++;
}
static void *t(void *a)
{
    work();
    return a;
}
int main(void)
{
    pthread_t id;
    pthread_create(&id, NULL, t, NULL);
    set(1);
    accounts[2].balance++;
    pthread_mutex_lock(&l); z++; pthread_mutex_unlock(&l);
    pthread_join(id, NULL);
    return 0;
}
END

for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    for level in -O0 -O2; do
        expect 0 cc --compiler=$compiler -g $level hidden.c -o hidden
        expect 0 record -o t.fwt -- ./hidden
        expect 66 check --analysis=race t.fwt
        out_has "Write of size 4 at hidden.c:7 in set by main thread (locks held: none; event"
        out_tells "    #0 set hidden.c:7
    #1 main hidden.c:24"
        out_tells "    #0 set hidden.c:7
    #1 work hidden.c:12
    #2 t hidden.c:17"
        out_tells "  Location is global 'x' of size 4 (hidden.c:3)
  Thread T1 created by main thread at hidden.c:23 in main
    #0 main hidden.c:23"
        out_has "  Location is 'accounts[2].balance' in global 'accounts' of size 64 (hidden.c:2)"
        out_has "T0 (hidden.c:26) took 'l' before T1 (hidden.c:11) did"
        out_has "SUMMARY: Foreweave: data race hidden.c:7 in set"
        silent
        cp "$out" told
        expect 66 check --analysis=race t.fwt
        cmp -s "$out" told || complain "the second report differs"
    done
done

# Streaming analyses tell the same places.
expect 66 check --analysis=hb,lockset t.fwt
out_has "hidden.c:7 in set"
expect 66 check --analysis=race --format=json -o result.json t.fwt
grep -q '"location":{"kind":"global","name":"x","object":"x","size":4,"site":"hidden.c:3"}' \
    result.json || complain "the location is not told"
grep -q '"threads":\[{"thread":"T1","by":"T0","index":[0-9]*,"site":"hidden.c:23","stack":' \
    result.json || complain "the creation is not told"
expect 0 trace verify t.fwt result.json
expect 0 trace show t.fwt
out_has "w(accounts[2].balance)"

# As recorded, on demand and in conversions, which lose nothing.
expect 0 trace show --no-symbols t.fwt
out_has "hidden+0x"
out_lacks "hidden.c"
expect 66 check --no-symbols --analysis=race --format=json -o raw.json t.fwt
grep -q 'hidden.c:7' raw.json && complain "--no-symbols is ignored"
expect 0 trace verify t.fwt raw.json
expect 0 trace convert t.fwt t.std
grep -q "$scratch/hidden+0x" t.std || complain "the conversion resolves names"
expect 0 trace convert t.fwt c.fwt
expect 0 trace show t.fwt
cp "$out" told
expect 0 trace show c.fwt
same "$out" told
expect 66 check --analysis=race --no-symbols t.fwt
out_has "Next: foreweave trace show --no-symbols"

# A program that was built again is not the one that was recorded.
sed -i 's/y++/y += 2/' hidden.c
expect 0 cc -g hidden.c -o hidden
expect 66 check --analysis=race t.fwt
err_has "warning: names stay offsets:"
err_has "is not the file that was recorded: its build id differs"
out_has "hidden+0x"
rm hidden
expect 66 check --analysis=race t.fwt
err_has "cannot open '$scratch/hidden'"
expect 0 trace verify t.fwt result.json

# What is inlined from headers of the system happens where the program uses it, whatever way the
# compiler has gone to its headers; and a function that is inlined several times, where it is called.
cat >guards.cc <<'END'
#include <mutex>
#include <thread>
std::mutex a, b;
int x, y, done;
static inline __attribute__((always_inline)) void take(std::mutex &lock)
{
    lock.lock();
}
static inline __attribute__((always_inline)) void add(int &to)
{
    to++;
}
static void forward()
{
    take(b); y++; b.unlock();
    a.lock();
    b.lock();
    y++;
    b.unlock();
    a.unlock();
}
static void backward()
{
    take(a); x++; a.unlock();
#ifdef RIGHT
    take(a);
    take(b);
#else
    take(b);
    take(a);
#endif
    x++;
    a.unlock();
    b.unlock();
}
static void count(int &mine)
{
    add(mine);
    add(done);
}
int main()
{
    int one = 0, two = 0;
    std::thread first(forward), second(backward);
    first.join();
    second.join();
    std::thread third(count, std::ref(one));
#ifdef RIGHT
    third.join();
#endif
    add(two);
    add(done);
#ifndef RIGHT
    third.join();
#endif
}
END
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    for level in -O1 -O2; do
        expect 0 c++ --compiler=$compiler -g $level guards.cc -o guards
        expect 66 run --keep=guards.d --analysis=race,deadlock -- ./guards
        out_has "Acquire of 'a' at guards.cc:7 in take" "Acquire of 'b' at guards.cc:17 in forward" \
            "#2 take guards.cc:7" "#3 backward guards.cc:30" "#2 forward guards.cc:17" \
            "SUMMARY: Foreweave: deadlock guards.cc:17 in forward" \
            "SUMMARY: Foreweave: data race guards.cc:11 in add" \
            "deadlock: 1 finding" "race: 1 finding"
        out_tells "    #0 add guards.cc:11
    #1 count guards.cc:39"
        out_tells "    #0 add guards.cc:11
    #1 main guards.cc:52"
        expect 66 check --analysis=deadlock --format=json guards.d/trace.fwt
        out_has '"site":"guards.cc:7","' '"site":"guards.cc:17","' \
            '"function":"backward","site":"guards.cc:30"'
        expect 0 c++ --compiler=$compiler -DRIGHT -g $level guards.cc -o guards
        expect 0 run --keep=right.d --analysis=race,deadlock -- ./guards
    done
done

finish
