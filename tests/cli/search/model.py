"""What small programs can do: all results of all interleavings, by brute force.

A program is a list of threads, thread 0 being main; a thread is a list of instructions, tuples whose
first part is the operation.  Each instruction is one step of a sequentially consistent machine, but
for jumps, which belong to the step before.  Shares nothing with Foreweave: no reduction, no notion
of what depends on what.

A result is the text that the program prints, or "blocked" when nobody can go on.
"""


class Machine:
    """State: a tuple (pcs, registers, memory, objects).  Objects by name: who holds what, who waits."""

    def __init__(self, threads, variables, semaphores=(), barriers=()):
        self.threads = threads
        self.variables = variables
        start = {}
        for name, value in semaphores:
            start[name] = value
        for name, wanted in barriers:
            start[name] = (wanted, ())
        self.start = (
            tuple(0 if i == 0 else -1 for i in range(len(threads))),
            tuple((0,) * 8 for _ in threads),
            tuple(0 for _ in variables),
            frozenset(start.items()),
        )

    # --- helpers ---------------------------------------------------------------------------------
    def _settle(self, pcs, registers, thread):
        """Jumps and moves are no steps of their own."""
        pc = pcs[thread]
        code = self.threads[thread]
        while pc < len(code) and code[pc][0] in ("jump", "jump_if", "jump_unless", "set"):
            what = code[pc]
            if what[0] == "jump":
                pc = what[1]
            elif what[0] == "set":
                registers = put(registers, thread, put(registers[thread], what[1], what[2]))
                pc += 1
            else:
                taken = bool(registers[thread][what[1]]) == (what[0] == "jump_if")
                pc = what[2] if taken else pc + 1
        return put(pcs, thread, pc), registers

    def has_ended(self, state, thread):
        return state[0][thread] >= len(self.threads[thread])

    def result(self, state):
        texts = [" ".join(map(str, r)) for r in state[1]]
        return "|".join(texts) + "|" + " ".join(map(str, state[2]))

    # --- one step --------------------------------------------------------------------------------
    def steps(self, state, thread):
        """All states after one step of the thread; none if it cannot go on.  The second part of each
        says whether the step was that a limit passed."""
        pcs, registers, memory, objects = state
        pc = pcs[thread]
        if pc < 0 or pc >= len(self.threads[thread]):
            return []
        what = self.threads[thread][pc]
        return [
            (self._after(after, thread), late)
            for after, late in getattr(self, "do_" + what[0])(state, thread, dict(objects), *what[1:])
        ]

    def _after(self, after, thread):
        pcs, registers, memory, objects = after
        pcs, registers = self._settle(pcs, registers, thread)
        return pcs, registers, memory, frozenset(objects.items())

    @staticmethod
    def go_on(state, thread, objects, register=None, value=None, memory=None):
        pcs, registers, old, _ = state
        if register is not None:
            registers = put(registers, thread, put(registers[thread], register, value))
        return (put(pcs, thread, pcs[thread] + 1), registers, old if memory is None else memory,
                objects)

    # --- memory ----------------------------------------------------------------------------------
    def do_load(self, state, thread, objects, register, variable):
        return [(self.go_on(state, thread, objects, register, state[2][variable]), False)]

    def do_load_at(self, state, thread, objects, register, first, index):
        return self.do_load(state, thread, objects, register, first + state[1][thread][index])

    def do_store_at(self, state, thread, objects, first, index, value):
        return self.do_store(state, thread, objects, first + state[1][thread][index], None, value)

    def do_store(self, state, thread, objects, variable, register, constant):
        value = constant + (state[1][thread][register] if register is not None else 0)
        return [(self.go_on(state, thread, objects, memory=put(state[2], variable, value)), False)]

    def do_add(self, state, thread, objects, register, variable, constant):
        old = state[2][variable]
        memory = put(state[2], variable, old + constant)
        return [(self.go_on(state, thread, objects, register, old, memory), False)]

    def do_exchange(self, state, thread, objects, register, variable, value):
        memory = put(state[2], variable, value)
        return [(self.go_on(state, thread, objects, register, state[2][variable], memory), False)]

    def do_cas(self, state, thread, objects, register, variable, expected, wanted):
        old = state[2][variable]
        memory = put(state[2], variable, wanted) if old == expected else state[2]
        return [(self.go_on(state, thread, objects, register, int(old == expected), memory), False)]

    # --- mutexes ---------------------------------------------------------------------------------
    def do_lock(self, state, thread, objects, mutex):
        if mutex in objects:
            return []
        objects[mutex] = thread
        return [(self.go_on(state, thread, objects), False)]

    def do_unlock(self, state, thread, objects, mutex):
        del objects[mutex]
        return [(self.go_on(state, thread, objects), False)]

    def do_trylock(self, state, thread, objects, register, mutex):
        got = mutex not in objects
        if got:
            objects[mutex] = thread
        return [(self.go_on(state, thread, objects, register, int(got)), False)]

    def do_timedlock(self, state, thread, objects, register, mutex):
        waits = ("waits", thread)
        if mutex not in objects:
            objects.pop(waits, None)
            objects[mutex] = thread
            return [(self.go_on(state, thread, objects, register, 1), False)]
        if waits not in objects:
            objects[waits] = 1
            return [((state[0], state[1], state[2], objects), False)]
        del objects[waits]
        return [(self.go_on(state, thread, objects, register, 0), True)]

    # --- conditions ------------------------------------------------------------------------------
    # A wait is three steps: to let go and queue up; to be woken, by whoever signals, or its limit;
    # to get the mutex again.
    def do_wait(self, state, thread, objects, condition, mutex):
        del objects[mutex]
        objects[condition] = objects.get(condition, ()) + (thread,)
        return [(self.go_on(state, thread, objects), False)]

    def do_woken(self, state, thread, objects, condition, mutex):
        if thread in objects.get(condition, ()) or mutex in objects:
            return []
        objects[mutex] = thread
        return [(self.go_on(state, thread, objects), False)]

    def do_timedwoken(self, state, thread, objects, register, condition, mutex):
        queue, late = objects.get(condition, ()), ("late", thread)
        if thread in queue:
            set_queue(objects, condition, tuple(t for t in queue if t != thread))
            objects[late] = 1
            return [((state[0], state[1], state[2], objects), True)]
        if mutex in objects:
            return []
        objects[mutex] = thread
        in_time = late not in objects
        objects.pop(late, None)
        return [(self.go_on(state, thread, objects, register, int(in_time)), False)]

    def do_signal(self, state, thread, objects, condition):
        """Who has waited longest is woken, as in Foreweave."""
        set_queue(objects, condition, objects.get(condition, ())[1:])
        return [(self.go_on(state, thread, objects), False)]

    def do_broadcast(self, state, thread, objects, condition):
        objects.pop(condition, None)
        return [(self.go_on(state, thread, objects), False)]

    # --- semaphores, readers and writers, barriers, once --------------------------------------------
    def do_post(self, state, thread, objects, semaphore):
        objects[semaphore] += 1
        return [(self.go_on(state, thread, objects), False)]

    def do_pend(self, state, thread, objects, semaphore):
        if not objects[semaphore]:
            return []
        objects[semaphore] -= 1
        return [(self.go_on(state, thread, objects), False)]

    def do_trypend(self, state, thread, objects, register, semaphore):
        got = objects[semaphore] > 0
        objects[semaphore] -= got
        return [(self.go_on(state, thread, objects, register, int(got)), False)]

    def do_timedpend(self, state, thread, objects, register, semaphore):
        waits = ("waits", thread)
        if objects[semaphore]:
            objects.pop(waits, None)
            objects[semaphore] -= 1
            return [(self.go_on(state, thread, objects, register, 1), False)]
        if waits not in objects:
            objects[waits] = 1
            return [((state[0], state[1], state[2], objects), False)]
        del objects[waits]
        return [(self.go_on(state, thread, objects, register, 0), True)]

    def do_readlock(self, state, thread, objects, lock):
        if objects.get(lock, 0) < 0:
            return []
        objects[lock] = objects.get(lock, 0) + 1
        return [(self.go_on(state, thread, objects), False)]

    def do_writelock(self, state, thread, objects, lock):
        if objects.get(lock, 0):
            return []
        objects[lock] = -1
        return [(self.go_on(state, thread, objects), False)]

    def do_tryreadlock(self, state, thread, objects, register, lock):
        got = objects.get(lock, 0) >= 0
        if got:
            objects[lock] = objects.get(lock, 0) + 1
        return [(self.go_on(state, thread, objects, register, int(got)), False)]

    def do_trywritelock(self, state, thread, objects, register, lock):
        got = not objects.get(lock, 0)
        if got:
            objects[lock] = -1
        return [(self.go_on(state, thread, objects, register, int(got)), False)]

    def do_rwunlock(self, state, thread, objects, lock):
        objects[lock] = 0 if objects[lock] < 0 else objects[lock] - 1
        return [(self.go_on(state, thread, objects), False)]

    def do_arrive(self, state, thread, objects, barrier):
        wanted, inside = objects[barrier]
        inside += (thread,)
        objects[barrier] = (wanted, () if len(inside) == wanted else inside)
        return [(self.go_on(state, thread, objects), False)]

    def do_depart(self, state, thread, objects, barrier):
        if thread in objects[barrier][1]:
            return []
        return [(self.go_on(state, thread, objects), False)]

    def do_once(self, state, thread, objects, control, behind):
        """The one who comes first goes on, others wait until `done`."""
        how = objects.get(control)
        if how == "done":
            pcs = put(state[0], thread, behind)
            return [((pcs, state[1], state[2], objects), False)]
        if how == "running":
            return []
        objects[control] = "running"
        return [(self.go_on(state, thread, objects), False)]

    def do_done(self, state, thread, objects, control):
        objects[control] = "done"
        return [(self.go_on(state, thread, objects), False)]

    # --- threads, and what does nothing ---------------------------------------------------------------
    def do_create(self, state, thread, objects, other):
        pcs, registers, memory, objects = self.go_on(state, thread, objects)
        pcs, registers = self._settle(put(pcs, other, 0), registers, other)
        return [((pcs, registers, memory, objects), False)]

    def do_join(self, state, thread, objects, other):
        return [(self.go_on(state, thread, objects), False)] if self.has_ended(state, other) else []

    def do_yield(self, state, thread, objects):
        return [(self.go_on(state, thread, objects), False)]

    def do_sleep(self, state, thread, objects):
        waits = ("sleeps", thread)
        if waits not in objects:
            objects[waits] = 1
            return [((state[0], state[1], state[2], objects), False)]
        del objects[waits]
        return [(self.go_on(state, thread, objects), True)]

    # --- all of them --------------------------------------------------------------------------------
    def results(self, most=200000):
        """Everything that can come of the program; None: it is too much."""
        start = self._after((*self.start[:3], dict(self.start[3])), 0)
        seen, todo, found = {start}, [start], set()
        while todo:
            state = todo.pop()
            after = [s for t in range(len(self.threads)) for s, _ in self.steps(state, t)]
            if not after:
                found.add(self.result(state) if self.has_ended(state, 0) else "blocked")
            for one in after:
                if one not in seen:
                    seen.add(one)
                    todo.append(one)
            if len(seen) > most:
                return None
        return found

    def results_within(self, bound, most=400000):
        """The same with at most so many preemptions: a thread is left that could go on, or a limit
        passes."""
        start = (self._after((*self.start[:3], dict(self.start[3])), 0), 0)
        best, todo, found = {start: 0}, [start], set()
        while todo:
            state, current = here = todo.pop()
            cost = best[here]
            moves = [(s, late, t) for t in range(len(self.threads)) for s, late in self.steps(state, t)]
            goes_on = any(t == current and not late for _, late, t in moves)
            if not moves:
                found.add(self.result(state) if self.has_ended(state, 0) else "blocked")
            for after, late, thread in moves:
                total = cost + (late or (goes_on and thread != current))
                there = (after, thread)
                if total <= bound and total < best.get(there, bound + 1):
                    best[there] = total
                    todo.append(there)
            if len(best) > most:
                return None
        return found


def put(values, at, value):
    return values[:at] + (value,) + values[at + 1:]


def set_queue(objects, name, queue):
    if queue:
        objects[name] = queue
    else:
        objects.pop(name, None)
