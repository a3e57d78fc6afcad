"""compare.py PROGRAMS SEED [long]: what `foreweave run` finds in random programs, and what they can do.

Every race, nondeterministic read and deadlock must be possible, at the lines that are named, and confirmed.  Where nothing
hangs on what is read, and not all threads can wait, every possible race must be found (not in long ones: there repeats are left out).
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

from programs import Program, all_of

FOREWEAVE = os.environ["FOREWEAVE"]


def lines_of(finding):
    return [int(event["site"].rsplit(":", 1)[1]) for event in finding["events"]]


def run(program, seed):
    draw = random.Random(seed)
    compiler, level = draw.choice(["gcc", "clang"]), draw.choice(["-O0", "-O1"])
    with open("p.c", "w") as out:
        out.write(program.text())
    subprocess.run([FOREWEAVE, "cc", "-g", level, "p.c", "-o", "p"], env=dict(os.environ, FOREWEAVE_CC=compiler), check=True)
    subprocess.run([FOREWEAVE, "run", "-q", "--limit=2", "--seed=%d" % draw.randint(1, 99), "--format=json", "-o", "p.json",
                    "--keep=kept", "--", "./p"], timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open("p.json") as result:
        return json.load(result)["findings"]


def judge(program, findings, possible, is_long, counts):
    races, seen, stuck = possible
    found = set()
    for finding in findings:
        lines = lines_of(finding)
        counts[finding["kind"] + " " + finding["status"]] += 1
        if finding["status"] not in ("confirmed", "observed"):
            yield "%s at %s is not confirmed" % (finding["kind"], lines)
        if finding["kind"] == "race":
            found.add(tuple(sorted(lines)))
        if finding["kind"] == "race" and tuple(sorted(lines)) not in races:
            yield "no race at %s" % lines
        if finding["analysis"] == "nondet" and (lines[0], lines[1] if len(lines) > 1 else 0) not in seen:
            yield "no such read at %s" % lines
        if finding["kind"] == "deadlock" and not stuck:
            yield "no deadlock at %s" % lines
    if not stuck and not is_long and not program.features & {"branches", "atomics", "trylock", "semaphore"}:
        counts["programs that must show all races"] += 1
        if races - found:
            yield "missing races: %s" % sorted(races - found)


def main():
    programs, first, is_long = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] == ["long"]
    counts, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(first, first + programs):
            program = Program(seed, is_long)
            possible = all_of(program)
            if possible is None:
                counts["too many states"] += 1
                continue
            counts["programs"] += 1
            for complaint in judge(program, run(program, seed), possible, is_long, counts):
                wrong += 1
                print("seed %d: %s" % (seed, complaint), flush=True)
        os.chdir("/")
    print(", ".join("%s: %d" % item for item in sorted(counts.items())))
    print("%d complaints" % wrong)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
