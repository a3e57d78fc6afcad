"""Random programs, and all that they can do.

A program is C and, for each thread, a list of operations (kind, object, line, more).  Variables x, y and z, mutexes m and k,
a lock q for readers, a semaphore s and an atomic a; branches skip what follows, as many operations as `more` says.
"""
import random

FEATURES = ("readers", "branches", "atomics", "semaphore", "trylock")
LOAD, STORE = "*(volatile int *)&%s", "    *(volatile int *)&%s = %d;"


class Program:
    def __init__(self, seed, is_long):
        self.random = random.Random(seed)
        self.source = [
            "#include <pthread.h>", "#include <semaphore.h>", "#include <stdatomic.h>", "int x, y, z, sink;", "atomic_int a;",
            "sem_t s;", "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;",
            "pthread_rwlock_t q = PTHREAD_RWLOCK_INITIALIZER;"]
        self.features = {name for name in FEATURES if self.random.random() < 0.3}
        self.variables = "xyz"[:self.random.choice([1, 2, 3])]
        self.mutexes = "mk"[:self.random.choice([0, 1, 2])]
        count = self.random.choice([2, 2, 3])
        self.threads = [self.thread(i + 1, (3, 7) if count == 2 else (2, 4)) for i in range(count)]
        self.posts = self.random.choice([0, 1, 2]) if "semaphore" in self.features else 0
        self.main(count, is_long)

    def put(self, text, kind, thing, more=None):
        self.source.append(text)
        self.now.append((kind, thing, len(self.source), more))

    def kinds(self):
        given = ["read", "write", "write", "add"] + (["lock", "lock", "unlock"] if self.mutexes else [])
        given += ["rdlock", "wrlock", "unlock"] if "readers" in self.features else []
        given += ["branch", "branch"] if "branches" in self.features else []
        given += ["store", "load", "test"] if "atomics" in self.features else []
        given += ["post", "wait"] if "semaphore" in self.features else []
        return given + (["try"] if "trylock" in self.features and self.mutexes else [])

    def unlock(self, held, which):
        thing, kind = held.pop(which)
        self.put("    pthread_%s_unlock(&%s);" % ("mutex" if kind == "lock" else "rwlock", thing), "un" + kind, thing)

    def guarded(self, condition, kind, thing, value):
        """if (CONDITION) VARIABLE = NUMBER;"""
        target, number = self.random.choice(self.variables), self.random.randint(1, 3)
        self.put("    if (%s == %d)" % (condition, value), kind, thing, (value, 1))
        self.put("    " + STORE % (target, number), "write", target, number)

    def attempt(self, thing):
        target, number = self.random.choice(self.variables), self.random.randint(1, 3)
        self.put("    if (pthread_mutex_trylock(&%s) == 0) {" % thing, "try", thing, 2)
        self.put("    " + STORE % (target, number), "write", target, number)
        self.put("        pthread_mutex_unlock(&%s);" % thing, "unlock", thing)
        self.source.append("    }")

    def operation(self, kind, held):
        variable, free = self.random.choice(self.variables), [m for m in self.mutexes if m not in [h[0] for h in held]]
        if kind == "read":
            self.put("    (void)%s;" % (LOAD % variable), "read", variable)
        elif kind == "write":
            number = self.random.randint(1, 3)
            self.put(STORE % (variable, number), "write", variable, number)
        elif kind == "add":
            self.put("    *(volatile int *)&%s = %s + 1;" % (variable, LOAD % variable), "read", variable)
            self.now.append(("write", variable, len(self.source), "add"))
        elif kind == "branch":
            self.guarded(LOAD % variable, "branch", variable, self.random.randint(0, 2))
        elif kind == "test":
            self.guarded("atomic_load(&a)", "test", "a", self.random.randint(0, 2))
        elif kind == "store":
            number = self.random.randint(1, 2)
            self.put("    atomic_store(&a, %d);" % number, "store", "a", number)
        elif kind == "load":
            self.put("    (void)atomic_load(&a);", "load", "a")
        elif kind in ("post", "wait"):
            self.put("    sem_%s(&s);" % kind, kind, "s")
        elif kind == "unlock" and held:
            self.unlock(held, self.random.randrange(len(held)))
        elif kind in ("rdlock", "wrlock") and "q" not in [h[0] for h in held]:
            held.append(("q", kind))
            self.put("    pthread_rwlock_%s(&q);" % kind, kind, "q")
        elif kind == "lock" and free:
            held.append((self.random.choice(free), "lock"))
            self.put("    pthread_mutex_lock(&%s);" % held[-1][0], "lock", held[-1][0])
        elif kind == "try" and free:
            self.attempt(self.random.choice(free))

    def thread(self, number, bounds):
        self.source += ["static void *t%d(void *p)" % number, "{"]
        self.now, held = [], []
        for _ in range(self.random.randint(*bounds)):
            self.operation(self.random.choice(self.kinds()), held)
        while held:
            self.unlock(held, -1)
        self.source += ["    return p;", "}"]
        return self.now

    def main(self, count, is_long):
        self.source += ["int main(void)", "{", "    pthread_t t[%d];" % count]
        if is_long:
            self.source.append("    for (int i = 0; i < 9000; i++) *(volatile int *)&sink += 1;")
        self.source.append("    sem_init(&s, 0, %d);" % self.posts)
        self.source += ["    pthread_create(&t[%d], 0, t%d, 0);" % (i, i + 1) for i in range(count)]
        self.source += ["    pthread_join(t[%d], 0);" % i for i in range(count)] + ["    return 0;", "}"]

    def text(self):
        return "\n".join(self.source) + "\n"


class State:
    """Before an operation of each thread.  `last` has the line of the latest write of x, y, z and a."""

    def __init__(self, threads, posts):
        self.at, self.values, self.last = [0] * threads, [0, 0, 0, 0], [0, 0, 0, 0]
        self.posts, self.owner, self.readers, self.read = posts, {"m": None, "k": None, "q": None}, 0, [0] * threads

    def key(self):
        return (tuple(self.at), tuple(self.values), tuple(self.last), self.posts, tuple(self.owner.values()), self.readers,
                tuple(self.read))

    def copy(self):
        other = State(0, self.posts)
        other.at, other.values, other.last = self.at[:], self.values[:], self.last[:]
        other.owner, other.readers, other.read = dict(self.owner), self.readers, self.read[:]
        return other

    def see(self, thing, line, seen):
        seen.add((line, self.last["xyza".index(thing)]))
        return self.values["xyza".index(thing)]

    def set(self, thing, line, value):
        self.values["xyza".index(thing)], self.last["xyza".index(thing)] = value, line

    def step(self, t, operation, seen):
        """False: it has to wait."""
        kind, thing, line, more = operation
        skip = 0
        if kind in ("read", "load"):
            self.read[t] = self.see(thing, line, seen)
        elif kind in ("branch", "test"):
            skip = more[1] if self.see(thing, line, seen) != more[0] else 0
        elif kind in ("write", "store"):
            self.set(thing, line, self.read[t] + 1 if more == "add" else more)
        elif kind == "post":
            self.posts += 1
        elif kind == "wait":
            if not self.posts:
                return False
            self.posts -= 1
        elif kind == "try":
            skip = more if self.owner[thing] is not None else 0
            self.owner[thing] = t if self.owner[thing] is None else self.owner[thing]
        elif kind in ("lock", "wrlock"):
            if self.owner[thing] is not None or (kind == "wrlock" and self.readers):
                return False
            self.owner[thing] = t
        elif kind == "rdlock":
            if self.owner[thing] is not None:
                return False
            self.readers += 1
        elif kind == "unrdlock":
            self.readers -= 1
        else:
            self.owner[thing] = None
        self.at[t] += 1 + skip
        return True


def races_of(following):
    plain = [f for f in following if f and f[0] in ("read", "write", "branch")]
    for i, one in enumerate(plain):
        for two in plain[i + 1:]:
            if one[1] == two[1] and "write" in (one[0], two[0]):
                yield tuple(sorted((one[2], two[2])))


def all_of(program, most=400000):
    """Races (pairs of lines), what reads can see (line, line of the write), and whether threads can all wait; None: too many."""
    first = State(len(program.threads), program.posts)
    known, left, races, seen, stuck = {first.key()}, [first], set(), set(), False
    while left:
        state, moved = left.pop(), False
        following = [ops[state.at[t]] if state.at[t] < len(ops) else None for t, ops in enumerate(program.threads)]
        races.update(races_of(following))
        for t, operation in enumerate(following):
            after = state.copy()
            if not operation or not after.step(t, operation, seen):
                continue
            moved = True
            if after.key() not in known:
                if len(known) > most:
                    return None
                known.add(after.key())
                left.append(after)
        stuck |= not moved and any(following)
    return races, seen, stuck
