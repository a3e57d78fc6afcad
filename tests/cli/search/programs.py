"""Random small programs, as C and as the model's instructions.

Each is written twice from the same draws: a line of C for people and compilers, and the steps that a
sequentially consistent machine takes for it.

Some have an array of two, an index and a pointer into it, which all threads use: which word a place accesses is
decided by others then, and a place may reach a word in few interleavings only.
"""
import random
import re

from model import Machine

TYPES = ("int", "int", "char", "char", "short")

HEAD = """\
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static const struct timespec *soon(void)
{
    static __thread struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    return &at;
}
static void put(const char *file, const char *text)
{
    int fd = open(file, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (write(fd, text, strlen(text)) < 0)
        abort();
    close(fd);
}
"""


class Writer:
    """One thread: what it does, twice."""

    def __init__(self, draw, program, thread):
        self.draw, self.program, self.thread = draw, program, thread
        self.c, self.code = [], []
        self.registers = 0

    def line(self, text, *steps):
        self.c.append(text)
        self.code.extend(steps)

    def register(self):
        self.registers += 1
        return self.registers - 1

    def variable(self):
        return self.draw.randrange(self.program.plain)

    def name(self, kind, count):
        number = self.draw.randrange(count)
        self.program.used.add((kind, number))
        return f"{kind}{number}"

    # --- memory ----------------------------------------------------------------------------------
    def load(self):
        if self.registers > 6:
            return
        r, v = self.register(), self.variable()
        text = f"r[{r}] = v{v};" if self.draw.random() < 0.5 else f"r[{r}] = __atomic_load_n(&v{v}, 5);"
        self.line(text, ("load", r, v))

    def store(self):
        v, value = self.variable(), self.draw.randrange(1, 4)
        plain = self.draw.random() < 0.5
        self.line(f"v{v} = {value};" if plain else f"__atomic_store_n(&v{v}, {value}, 5);",
                  ("store", v, None, value))

    def increment(self):
        if self.registers > 6:
            return
        r, v = self.register(), self.variable()
        self.line(f"r[{r}] = v{v}; v{v} = r[{r}] + 1;", ("load", r, v), ("store", v, r, 1))

    def add(self):
        if self.registers > 6:
            return
        r, v = self.register(), self.variable()
        self.line(f"r[{r}] = __atomic_fetch_add(&v{v}, 1, 5);", ("add", r, v, 1))

    def exchange(self):
        if self.registers > 6:
            return
        r, v, value = self.register(), self.variable(), self.draw.randrange(1, 4)
        self.line(f"r[{r}] = __atomic_exchange_n(&v{v}, {value}, 5);", ("exchange", r, v, value))

    def cas(self):
        if self.registers > 6:
            return
        r, v = self.register(), self.variable()
        old, new = self.draw.randrange(0, 2), self.draw.randrange(1, 4)
        kind = self.program.types[v]
        self.line(f"{{ {kind} e = {old}; r[{r}] = __atomic_compare_exchange_n(&v{v}, &e, {new}, 0, 5, 5); }}",
                  ("cas", r, v, old, new))

    def spin(self):
        """Looks a few times only."""
        if self.registers > 6:
            return
        r, v, times = self.register(), self.variable(), self.draw.randrange(2, 4)
        pause = self.draw.choice(("", " sched_yield();"))
        self.c.append(f"for (int i = 0; i < {times}; i++) {{ r[{r}] = __atomic_load_n(&v{v}, 5); "
                      f"if (r[{r}]) break;{pause} }}")
        end = len(self.code) + times * (3 if pause else 2)
        for _ in range(times):
            self.code.append(("load", r, v))
            self.code.append(("jump_if", r, end))
            if pause:
                self.code.append(("yield",))

    # --- the array, by an index or a pointer -----------------------------------------------------
    # Register 7 of the model holds the index, and is clear behind it.
    def where(self):
        """A choice of index or pointer: its variable, the C that reads it, and the place that it then tells."""
        index = self.program.plain + (self.draw.random() < 0.7)
        return index, *(("int n = vi;", "va[n]") if index == self.program.plain
                        else ("volatile int *q = vp;", "*q"))

    def load_there(self):
        if self.registers > 6:
            return
        (index, text, there), r = self.where(), self.register()
        self.line(f"{{ {text} r[{r}] = {there}; }}", ("load", 7, index), ("load_at", r, self.program.array, 7),
                  ("set", 7, 0))

    def store_there(self):
        (index, text, there), value = self.where(), self.draw.randrange(1, 4)
        self.line(f"{{ {text} {there} = {value}; }}", ("load", 7, index),
                  ("store_at", self.program.array, 7, value), ("set", 7, 0))

    def use_cell(self):
        cell, value = self.draw.randrange(2), self.draw.randrange(1, 4)
        if self.registers > 6 or self.draw.random() < 0.6:
            self.line(f"va[{cell}] = {value};", ("store", self.program.array + cell, None, value))
        else:
            r = self.register()
            self.line(f"r[{r}] = va[{cell}];", ("load", r, self.program.array + cell))

    def turn(self):
        index, cell = self.program.plain + (self.draw.random() < 0.7), self.draw.random() < 0.7
        self.line(f"vi = {int(cell)};" if index == self.program.plain else f"vp = &va[{int(cell)}];",
                  ("store", index, None, int(cell)))

    def visit(self):
        """A word is used, and again if nobody has turned the index or pointer away from it."""
        self.use_cell()
        self.draw.choice((self.load_there, self.load_there, self.store_there))()

    def divert(self):
        self.turn()
        self.use_cell()

    def memory(self):
        if self.program.array is not None and self.draw.random() < 0.9:
            self.draw.choice((self.load_there, self.store_there, self.turn, self.use_cell)
                             + (self.visit, self.divert) * 4)()
            return
        self.draw.choice((self.load, self.load, self.store, self.store, self.increment, self.add,
                          self.exchange, self.cas))()

    # --- synchronisation -------------------------------------------------------------------------
    def locked(self):
        m = self.name("m", 2)
        self.line(f"pthread_mutex_lock(&{m});", ("lock", m))
        for _ in range(self.draw.randrange(1, 3)):
            self.memory()
        if self.draw.random() < 0.2:
            other = "m1" if m == "m0" else "m0"
            self.program.used.add(("m", int(other[1])))
            self.line(f"pthread_mutex_lock(&{other});", ("lock", other))
            self.memory()
            self.line(f"pthread_mutex_unlock(&{other});", ("unlock", other))
        self.line(f"pthread_mutex_unlock(&{m});", ("unlock", m))

    def _tried(self, call, step, unlock, steps_unlock):
        if self.registers > 5:
            return
        r = self.register()
        self.line(f"r[{r}] = {call} == 0; if (r[{r}]) {{", (step[0], r) + step[1:])
        at = len(self.code)
        self.code.append(None)
        self.memory()
        self.line(f"{unlock} }}", *steps_unlock)
        self.code[at] = ("jump_unless", r, len(self.code))

    def tried(self):
        m = self.name("m", 2)
        times = self.draw.choice((1, 1, 2))
        for _ in range(times):
            self._tried(f"pthread_mutex_trylock(&{m})", ("trylock", m),
                        f"pthread_mutex_unlock(&{m});", [("unlock", m)])

    def timed(self):
        m = self.name("m", 2)
        self._tried(f"pthread_mutex_timedlock(&{m}, soon())", ("timedlock", m),
                    f"pthread_mutex_unlock(&{m});", [("unlock", m)])

    def waits(self):
        """Until a variable is set, or once, whatever it is: then a signal may be lost."""
        if self.registers > 5:
            return
        m, c, v, r = "m0", self.name("c", 1), self.variable(), self.register()
        self.program.used.add(("m", 0))
        self.line(f"pthread_mutex_lock(&{m});", ("lock", m))
        if self.draw.random() < 0.7:
            self.c.append(f"while (!(r[{r}] = __atomic_load_n(&v{v}, 5))) pthread_cond_wait(&{c}, &{m});")
            at = len(self.code)
            self.code += [("load", r, v), ("jump_if", r, at + 5), ("wait", c, m), ("woken", c, m),
                          ("jump", at)]
        else:
            self.line(f"pthread_cond_wait(&{c}, &{m});", ("wait", c, m), ("woken", c, m))
        self.line(f"pthread_mutex_unlock(&{m});", ("unlock", m))

    def timed_wait(self):
        if self.registers > 5:
            return
        m, c, r = "m0", self.name("c", 1), self.register()
        self.program.used.add(("m", 0))
        self.line(f"pthread_mutex_lock(&{m});", ("lock", m))
        self.line(f"r[{r}] = pthread_cond_timedwait(&{c}, &{m}, soon()) == 0;", ("wait", c, m),
                  ("timedwoken", r, c, m))
        self.line(f"pthread_mutex_unlock(&{m});", ("unlock", m))

    def signals(self):
        c, v = self.name("c", 1), self.variable()
        kind, step = self.draw.choice((("signal", "signal"), ("broadcast", "broadcast")))
        inside = self.draw.random() < 0.6
        self.program.used.add(("m", 0))
        if inside:
            self.line("pthread_mutex_lock(&m0);", ("lock", "m0"))
        self.line(f"__atomic_store_n(&v{v}, 1, 5);", ("store", v, None, 1))
        self.line(f"pthread_cond_{kind}(&{c});", (step, c))
        if inside:
            self.line("pthread_mutex_unlock(&m0);", ("unlock", "m0"))

    def posts(self):
        s = self.name("s", 2)
        self.line(f"sem_post(&{s});", ("post", s))

    def pends(self):
        s = self.name("s", 2)
        self.line(f"sem_wait(&{s});", ("pend", s))

    def tries_pend(self):
        if self.registers > 6:
            return
        s, r = self.name("s", 2), self.register()
        self.line(f"r[{r}] = sem_trywait(&{s}) == 0;", ("trypend", r, s))

    def timed_pend(self):
        if self.registers > 6:
            return
        s, r = self.name("s", 2), self.register()
        self.line(f"r[{r}] = sem_timedwait(&{s}, soon()) == 0;", ("timedpend", r, s))

    def reads_or_writes(self):
        w = self.name("w", 1)
        how, step = self.draw.choice((("rd", "readlock"), ("wr", "writelock")))
        if self.draw.random() < 0.3:
            self._tried(f"pthread_rwlock_try{how}lock(&{w})", ("try" + step, w),
                        f"pthread_rwlock_unlock(&{w});", [("rwunlock", w)])
            return
        self.line(f"pthread_rwlock_{how}lock(&{w});", (step, w))
        self.memory()
        self.line(f"pthread_rwlock_unlock(&{w});", ("rwunlock", w))

    def arrives(self):
        b = self.name("b", 1)
        self.line(f"pthread_barrier_wait(&{b});", ("arrive", b), ("depart", b))

    def once(self):
        o = self.name("o", 1)
        behind = len(self.code) + 4
        self.line(f"pthread_once(&{o}, init);", ("once", o, behind), ("load", 7, 0), ("store", 0, 7, 2),
                  ("done", o), ("set", 7, 0))

    def yields(self):
        for _ in range(self.draw.choice((1, 2))):
            self.line("sched_yield();", ("yield",))

    def sleeps(self):
        self.line("usleep(500);", ("sleep",))

    def fill(self, count):
        plain = [self.memory] * (8 if self.program.array is None else 50)
        untimed = [self.locked, self.locked, self.tried, self.waits, self.signals, self.signals,
                   self.posts, self.pends, self.tries_pend, self.reads_or_writes, self.arrives, self.once,
                   self.yields, self.spin]
        timed = [self.timed, self.timed_wait, self.timed_pend, self.sleeps]
        for _ in range(count):
            self.draw.choice(plain + untimed + (timed * 3 if self.program.timed else []))()


class Program:
    """Two or three threads besides main.  timed: waits may have limits; small: for quick tests."""

    def __init__(self, seed, timed, small):
        draw = random.Random(seed)
        self.seed, self.timed = seed, timed
        self.types = [draw.choice(TYPES) for _ in range(draw.randrange(1, 4))]
        self.array = None  # the number of its first cell; behind the last come the index and the pointer
        if seed % 2 == 0:
            self.types = self.types[:1] + ["int", "int"]
            self.array = 1
        self.plain = len(self.types)
        self.used = set()
        self.workers = 2 if small else draw.choice((2, 2, 3))
        most = 3 if small or self.workers == 3 or self.array is not None else 5
        self.writers = []
        for thread in range(1, self.workers + 1):
            writer = Writer(draw, self, thread)
            writer.fill(draw.randrange(1, most))
            self.writers.append(writer)
        self.main = Writer(draw, self, 0)
        self._write_main(draw)
        self.initial = [(f"s{n}", draw.randrange(0, 2)) for n in range(2)]
        self.round = draw.choice((1, 2, 2))

    def _write_main(self, draw):
        order = list(range(1, self.workers + 1))
        for thread in order:
            self.main.line(f"pthread_create(&t[{thread}], NULL, work{thread}, NULL);", ("create", thread))
            if draw.random() < 0.1:
                self.main.memory()
        if draw.random() < 0.4:
            self.main.fill(1)
        draw.shuffle(order)
        for thread in order:
            self.main.line(f"pthread_join(t[{thread}], NULL);", ("join", thread))
            if draw.random() < 0.1 and thread != order[-1]:
                self.main.memory()

    def machine(self):
        barriers = [("b0", self.round)]
        variables = self.types + (["index", "pointer"] if self.array is not None else [])
        return Machine([self.main.code] + [w.code for w in self.writers], variables, self.initial,
                       barriers)

    def c(self, number):
        out = [f"/* {number}: seed {self.seed} */"]
        prefix = f"p{number}_"
        shared = [f"volatile {kind} v{i}" for i, kind in enumerate(self.types[:self.array])]
        if self.array is not None:
            shared += ["volatile int a[2], i", "volatile int *volatile p"]
        out.append("static struct { " + " ".join(s + ";" for s in shared) + f" }} {prefix}v;")
        out.append(f"static pthread_mutex_t {prefix}m0 = PTHREAD_MUTEX_INITIALIZER,"
                   f" {prefix}m1 = PTHREAD_MUTEX_INITIALIZER;")
        out.append(f"static pthread_cond_t {prefix}c0 = PTHREAD_COND_INITIALIZER;")
        out.append(f"static pthread_rwlock_t {prefix}w0 = PTHREAD_RWLOCK_INITIALIZER;")
        out.append(f"static pthread_once_t {prefix}o0 = PTHREAD_ONCE_INIT;")
        out.append(f"static sem_t {prefix}s0, {prefix}s1;")
        out.append(f"static pthread_barrier_t {prefix}b0;")
        out.append(f"static int {prefix}results[{self.workers + 1}][8];")
        out.append(f"static void {prefix}init(void) {{ int was = {prefix}v.v0; {prefix}v.v0 = was + 2; }}")
        for writer in self.writers:
            out.append(f"static void *{prefix}work{writer.thread}(void *unused)\n{{")
            out += self._body(writer, prefix)
            out.append("    return unused;\n}")
        out.append(f"static void {prefix}main(const char *file)\n{{")
        out.append(f"    pthread_t t[{self.workers + 1}];")
        out.append("    char text[1000] = \"\";")
        for name, value in self.initial:
            out.append(f"    sem_init(&{prefix}{name}, 0, {value});")
        out.append(f"    pthread_barrier_init(&{prefix}b0, NULL, {self.round});")
        if self.array is not None:
            out.append(f"    {prefix}v.p = {prefix}v.a;")
        out += self._body(self.main, prefix)
        out.append(f"    for (int i = 0; i < {self.workers + 1}; i++)")
        out.append("        for (int k = 0; k < 8; k++)")
        out.append("            sprintf(text + strlen(text), k < 7 ? \"%d \" : \"%d|\", "
                   f"{prefix}results[i][k]);")
        values = self._values(prefix)
        for i, value in enumerate(values):
            end = " " if i + 1 < len(values) else "\\n"
            out.append(f"    sprintf(text + strlen(text), \"%d{end}\", {value});")
        out.append("    put(file, text);\n}")
        return "\n".join(out)

    def _variable(self, number, prefix):
        if self.array is None or number < self.array:
            return f"{prefix}v.v{number}"
        return f"{prefix}v.a[{number - self.array}]"

    def _values(self, prefix):
        values = [self._variable(i, prefix) for i in range(self.plain)]
        if self.array is not None:
            values += [f"{prefix}v.i", f"(int)({prefix}v.p - {prefix}v.a)"]
        return values

    def _body(self, writer, prefix):
        out = ["    int r[8] = { 0 };"]
        for line in writer.c:
            line = re.sub(r"\bv(\d)\b", lambda found: self._variable(int(found[1]), prefix), line)
            line = re.sub(r"\bv([aip])\b", prefix + r"v.\1", line)
            line = re.sub(r"\b([mcwobs]\d)\b", prefix + r"\1", line)
            line = re.sub(r"\b(work\d|init)\b", prefix + r"\1", line)
            out.append("    " + line)
        out.append(f"    memcpy({prefix}results[{writer.thread}], r, sizeof r);")
        return out


def source(programs):
    out = [HEAD]
    for number, program in enumerate(programs):
        out.append(program.c(number))
    out.append("int main(int argc, char **argv)\n{\n    switch (argc == 3 ? atoi(argv[1]) : -1) {")
    for number in range(len(programs)):
        out.append(f"    case {number}: p{number}_main(argv[2]); return 0;")
    out.append("    }\n    return 2;\n}\n")
    return "\n".join(out)
