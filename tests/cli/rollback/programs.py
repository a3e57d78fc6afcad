"""programs.py - random small programs of two threads, in C, and all ends that they can come to.

    programs.py make SEED COUNT >programs.c
    programs.py check SEED COUNT <output

Each program is two threads of a few functions, which load shared variables, calculate, store, take branches, and lock and
unlock mutexes.  The C program runs all of them a number of rounds and prints a line for each end: PROGRAM VALUES.  Which
ends there can be is found by trying all interleavings, with stores that become visible later, as processors have it.
Some functions tell the other thread where a local of theirs is, and some change the other's: none of these changes may be lost.
Programs from number 20 on have more: functions that change an array which is passed by value, and spin locks that are taken by
an atomic exchange and released by a plain store.
"""
import collections
import random
import sys

KINDS = [("unsigned char", 8), ("unsigned short", 16), ("unsigned", 32), ("unsigned long", 64)]
VARIABLES = 4
MUTEXES = 2
PLAIN = 20  # programs without arrays and spin locks
SPINS = 1
ARRAY = (3, 1, 4, 1)


def make_function(dice):
    """Operations of one function: (what, ...), with a register t that begins as a number."""
    operations = [("set", dice.randrange(8))]
    held = None
    for _ in range(dice.randrange(3, 6)):
        what = dice.choice(["load", "add", "store", "store", "lock", "skip", "unlock"])
        if what in ("load", "add"):
            operations.append((what, dice.randrange(VARIABLES)))
        elif what == "store":
            operations.append((what, dice.randrange(VARIABLES), dice.randrange(1, 5)))
        elif what == "lock" and held is None:
            held = dice.randrange(MUTEXES)
            operations.append(("lock", held))
        elif what == "unlock" and held is not None:
            operations.append(("unlock", held))
            held = None
        elif what == "skip":
            operations.append(("skip", dice.randrange(2), [("store", dice.randrange(VARIABLES), dice.randrange(1, 5))]))
    if held is not None:
        operations.append(("unlock", held))
    return operations


def make_special_function(dice):
    """The same with an array that is passed by value, or a spin lock, and something behind its release that takes a while."""
    spin, by_value = dice.randrange(SPINS), dice.randrange(3) == 0
    operations = [("array",)] if by_value else []
    operations.append(("set", dice.randrange(8)))
    if not by_value or dice.randrange(2):
        counted = dice.randrange(2)
        operations += [("take", spin, counted), ("add", spin), ("delay",), ("store", spin, dice.randrange(1, 5)),
                       ("drop", spin, counted), ("delay",)]
    for _ in range(3 if by_value else 0):
        operations.append((dice.choice(["bump", "fetch"]), dice.randrange(4)))
        operations.append(dice.choice([("add", dice.randrange(VARIABLES)), ("store", dice.randrange(VARIABLES), dice.randrange(1, 5))]))
    operations += [("fetch", dice.randrange(4))] if by_value else []
    return operations + [("add", dice.randrange(VARIABLES)), ("store", dice.randrange(VARIABLES), dice.randrange(1, 5))]


def make_program(seed, number):
    dice = random.Random(f"{seed}:{number}")
    kinds = [dice.choice(KINDS) for _ in range(VARIABLES)]
    make = make_function if number < PLAIN else make_special_function
    return kinds, [[make(dice) for _ in range(2)] for _ in range(2)]


def exposure_of(seed, number, which, i):
    """Of a function: does it show its local, does it change the other's?"""
    dice = random.Random(f"{seed}:{number}:{which}:{i}")
    return dice.randrange(3) == 0, dice.randrange(3) == 0


# --- as C

HEAD = """#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct array {
    unsigned long at[4];
};
static volatile int spins[1];
static int holders, broken; /* of the spin lock: who counts, and was not alone */
static __attribute__((noinline, no_sanitize("thread"))) void count(int by)
{
    if (__atomic_fetch_add(&holders, by, __ATOMIC_SEQ_CST) != (by < 0))
        broken = 1;
}
static __attribute__((noinline, no_sanitize("thread"))) void spin(void)
{
    static __thread unsigned times;

    if (++times % 64 == 0)
        sched_yield();
}
static pthread_barrier_t start;
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static unsigned long *shown[2], poked, received;
static __attribute__((noinline)) void show_local(int me, unsigned long *local)
{
    pthread_mutex_lock(&door);
    shown[me] = local;
    pthread_mutex_unlock(&door);
}
static __attribute__((noinline)) void hide_local(int me)
{
    pthread_mutex_lock(&door);
    received += *shown[me];
    shown[me] = NULL;
    pthread_mutex_unlock(&door);
}
static __attribute__((noinline)) void poke(int other)
{
    pthread_mutex_lock(&door);
    if (shown[other]) {
        ++*shown[other];
        poked++;
    }
    pthread_mutex_unlock(&door);
}
"""


def c_operation(number, operation, indent="    "):
    what = operation[0]
    if what == "set":
        return f"{indent}unsigned long t = {operation[1]};\n"
    if what == "load":
        return f"{indent}t = s{number}.v{operation[1]};\n"
    if what == "add":
        return f"{indent}t = t * 3 + s{number}.v{operation[1]};\n"
    if what == "store":
        return f"{indent}s{number}.v{operation[1]} = t + {operation[2]};\n"
    if what == "lock":
        return f"{indent}pthread_mutex_lock(&mutexes[{operation[1]}]);\n"
    if what == "unlock":
        return f"{indent}pthread_mutex_unlock(&mutexes[{operation[1]}]);\n"
    if what == "array":
        return ""
    if what == "take":
        return f"{indent}while (__sync_lock_test_and_set(&spins[{operation[1]}], 1))\n{indent}    spin();\n" + \
            (f"{indent}count(1);\n" if operation[2] else "")
    if what == "delay":
        return f"{indent}for (int i = 0; i < 3000; i++)\n{indent}    __asm__ volatile(\"\" : \"+r\"(t));\n"
    if what == "drop":
        return (f"{indent}count(-1);\n" if operation[2] else "") + f"{indent}spins[{operation[1]}] = 0;\n"
    if what == "bump":
        return f"{indent}array.at[(t + {operation[1]}) % 4] += 5;\n"
    if what == "fetch":
        return f"{indent}t = t * 3 + array.at[(t + {operation[1]}) % 4];\n"
    inner = "".join(c_operation(number, each, indent + "    ") for each in operation[2])
    return f"{indent}if (t % 2 == {operation[1]}) {{\n{inner}{indent}}}\n"


def c_program(seed, number, kinds, threads):
    text = "static struct {\n"
    text += "".join(f"    volatile {kind} v{i};\n" for i, (kind, _) in enumerate(kinds))
    text += f"}} s{number};\n"
    for which, functions in enumerate(threads):
        for i, operations in enumerate(functions):
            parameter = "struct array array" if operations[0][0] == "array" else "void"
            text += f"static __attribute__((noinline)) void f{number}_{which}_{i}({parameter})\n{{\n"
            shows, pokes = exposure_of(seed, number, which, i)
            if shows:
                text += f"    unsigned long local = 0;\n    show_local({which}, &local);\n"
            text += "".join(c_operation(number, operation) for operation in operations) + "    (void)t;\n"
            text += f"    hide_local({which});\n" if shows else ""
            text += f"    poke({1 - which});\n" if pokes else ""
            text += "}\n"
        given = f"(struct array){{ {{ {', '.join(str(each) for each in ARRAY)} }} }}"
        calls = "".join(f"    f{number}_{which}_{i}({given if each[0][0] == 'array' else ''});\n" for i, each in enumerate(functions))
        text += f"static void *run{number}_{which}(void *unused)\n{{\n    pthread_barrier_wait(&start);\n{calls}    return unused;\n}}\n"
    values = ", ".join(f"(unsigned long)s{number}.v{i}" for i in range(len(kinds)))
    text += f"static void reset{number}(void)\n{{\n"
    text += "".join(f"    s{number}.v{i} = 0;\n" for i in range(len(kinds))) + "}\n"
    text += f"static void show{number}(void)\n{{\n    printf(\"{number} {' '.join(['%lu'] * len(kinds))}\\n\", {values});\n}}\n"
    return text


def c_file(seed, count):
    text = HEAD + f"static pthread_mutex_t mutexes[{MUTEXES}] = {{ PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER }};\n"
    for number in range(count):
        text += c_program(seed, number, *make_program(seed, number))
    rows = "".join(f"    {{ reset{i}, show{i}, {{ run{i}_0, run{i}_1 }} }},\n" for i in range(count))
    return text + f"""static const struct {{
    void (*reset)(void), (*show)(void);
    void *(*run[2])(void *);
}} programs[] = {{
{rows}}};
int main(int argc, char **argv)
{{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;

    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < rounds * {count}; i++) {{
        pthread_t threads[2];

        programs[i % {count}].reset();
        for (int k = 0; k < 2; k++)
            pthread_create(&threads[k], NULL, programs[i % {count}].run[k], NULL);
        for (int k = 0; k < 2; k++)
            pthread_join(threads[k], NULL);
        programs[i % {count}].show();
    }}
    if (poked != received)
        fprintf(stderr, "%lu of %lu changes of locals are left\\n", received, poked);
    if (broken)
        fprintf(stderr, "two threads had a spin lock\\n");
    return poked != received || broken;
}}
"""


# --- all ends


def flatten(functions):
    """Skips become jumps over so many operations."""
    flat = []
    for operations in functions:
        for operation in operations:
            if operation[0] == "skip":
                flat.append(("unless", operation[1], len(operation[2])))
                flat.extend(operation[2])
            else:
                flat.append(operation)
    return flat


def ends_of(kinds, threads):
    codes = [flatten(functions) for functions in threads]
    masks = [(1 << bits) - 1 for _, bits in kinds]
    masks += [1] * SPINS
    first = ((0,) * len(masks), (None,) * MUTEXES, ((0, 0, (), ARRAY), (0, 0, (), ARRAY)))
    seen, todo, ends = {first}, collections.deque([first]), set()

    def value(memory, buffer, variable):
        for where, what in reversed(buffer):
            if where == variable:
                return what
        return memory[variable]

    def put(values, at, what):
        return values[:at] + (what,) + values[at + 1:]

    def next_states(state):
        memory, mutexes, both = state
        for me in (0, 1):
            at, t, buffer, array = both[me]
            if buffer:
                yield put(memory, buffer[0][0], buffer[0][1]), mutexes, put(both, me, (at, t, buffer[1:], array))
            if at == len(codes[me]):
                continue
            operation = codes[me][at]
            what, thread = operation[0], (at + 1, t, buffer, array)
            if what == "set":
                thread = (at + 1, operation[1], buffer, array)
            elif what == "load":
                thread = (at + 1, value(memory, buffer, operation[1]), buffer, array)
            elif what == "add":
                thread = (at + 1, (t * 3 + value(memory, buffer, operation[1])) % (1 << 64), buffer, array)
            elif what == "store":
                thread = (at + 1, t, buffer + ((operation[1], (t + operation[2]) & masks[operation[1]]),), array)
            elif what == "unless":
                thread = (at + 1 + (0 if t % 2 == operation[1] else operation[2]), t, buffer, array)
            elif what == "array":
                thread = (at + 1, t, buffer, ARRAY)
            elif what == "bump":
                place = (t + operation[1]) % 4
                thread = (at + 1, t, buffer, put(array, place, array[place] + 5))
            elif what == "fetch":
                thread = (at + 1, (t * 3 + array[(t + operation[1]) % 4]) % (1 << 64), buffer, array)
            elif what == "drop":
                thread = (at + 1, t, buffer + ((len(kinds) + operation[1], 0),), array)
            elif what == "take":
                if buffer or memory[len(kinds) + operation[1]]:
                    continue
                yield put(memory, len(kinds) + operation[1], 1), mutexes, put(both, me, thread)
                continue
            elif what == "lock":
                if buffer or mutexes[operation[1]] is not None:
                    continue
                yield memory, put(mutexes, operation[1], me), put(both, me, thread)
                continue
            elif what == "unlock":
                if buffer:
                    continue
                yield memory, put(mutexes, operation[1], None), put(both, me, thread)
                continue
            yield memory, mutexes, put(both, me, thread)

    while todo:
        state = todo.pop()
        memory, _, both = state
        if all(at == len(codes[me]) and not buffer for me, (at, _, buffer, _) in enumerate(both)):
            ends.add(memory[:len(kinds)])
        for following in next_states(state):
            if following not in seen:
                seen.add(following)
                todo.append(following)
    return ends


def check(seed, count):
    ends = [None] * count
    lines, bad = 0, 0
    for line in sys.stdin:
        number, *values = [int(word) for word in line.split()]
        if ends[number] is None:
            ends[number] = ends_of(*make_program(seed, number))
        lines += 1
        if tuple(values) not in ends[number]:
            bad += 1
            print(f"seed {seed}: program {number} ended with {values}, which no run can")
    print(f"{lines} ends, {bad} of them impossible; programs have {sum(len(each or ()) for each in ends)} possible ends")
    return 1 if bad or not lines else 0


if __name__ == "__main__":
    SEED, COUNT = int(sys.argv[2]), int(sys.argv[3])
    if sys.argv[1] == "make":
        print(c_file(SEED, COUNT), end="")
    else:
        sys.exit(check(SEED, COUNT))
