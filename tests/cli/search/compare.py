"""Compares what a systematic search sees of random programs with all that they can do.

    compare.py COUNT SEED [small] [PROGRAM]   (small: quick ones; PROGRAM: that seed alone)

Where a search says that it is complete, it must have seen every result; whatever it says, no result
that cannot be.  Programs are compiled as one file, whose name is printed when something is wrong.
"""
import json
import os
import subprocess
import sys
import tempfile

from programs import Program, source

MOST = 1000  # runs of a search; one that is cut says so itself
BATCH = 25   # programs of a file
HIGH = 40    # preemptions that none of them can have


def look_up(text):
    with open(text, encoding="ascii") as file:
        return set(file.read().split("\n")) - {""}


def search(binary, number, bound, folder):
    """(results, the report), or None if it failed."""
    seen = os.path.join(folder, "seen")
    if os.path.exists(seen):
        os.remove(seen)
    command = [os.environ["FOREWEAVE"], "explore", "-q", "-s", "chess", f"--preemptions={bound}",
               f"--runs={MOST}", "--format=json", "--limit=20", f"--folder={folder}/f{number}-{bound}",
               "--", binary, str(number), seen]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 66, 124):
        return set(), {"complete": False, "error": done.stderr, "findings": []}, command
    report = json.loads(done.stdout)
    results = look_up(seen) if os.path.exists(seen) else set()
    for finding in report["findings"]:
        results.add("blocked" if finding["kind"] in ("deadlock", "stuck") else finding["text"])
    return results, report, command


def complain(program, bound, what, results, command):
    print(f"WRONG: program of seed {program.seed}, {bound} preemptions: {what}:")
    for result in sorted(results)[:2]:
        print(f"    {result}")
    print("  " + " ".join(command))


def compare(program, number, binary, folder, counts):
    machine = program.machine()
    everything = machine.results()
    if everything is None:
        counts["large"] += 1
        return True
    good = True
    for bound in ("all", 2, HIGH):
        wanted = everything if bound != 2 else machine.results_within(2)
        results, report, command = search(binary, number, bound, folder)
        if "error" in report:
            complain(program, bound, report["error"].strip(), [], command)
            good = False
            continue
        counts["searches"] += 1
        counts["complete"] += report["complete"]
        if results - everything:
            complain(program, bound, "what cannot be", results - everything, command)
            good = False
        if report["complete"] and wanted is not None and wanted - results:
            complain(program, bound, "complete, but missing", wanted - results, command)
            good = False
    return good


def compare_batch(first, count, small, only, counts):
    programs = [Program(first + i, (first + i) % 4 == 3, small) for i in range(count)]
    folder = tempfile.mkdtemp(prefix="search-", dir=os.getcwd())
    path = os.path.join(folder, "programs.c")
    with open(path, "w", encoding="ascii") as file:
        file.write(source(programs))
    level = ("-O0", "-O1", "-O2")[first // BATCH % 3]
    binary = os.path.join(folder, "programs")
    subprocess.run([os.environ["FOREWEAVE"], "cc", "-g", level, "-pthread", path, "-o", binary], check=True)
    wrong = 0
    for number, program in enumerate(programs):
        if only is None or program.seed == only:
            wrong += not compare(program, number, binary, folder, counts)
    if not wrong:
        subprocess.run(["rm", "-rf", folder], check=True)
    else:
        print(f"  programs: {path}")
    return wrong


def main():
    count, seed, more = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    small = more[:1] == ["small"]
    only = int(more[small]) if len(more) > small else None
    counts = {"searches": 0, "complete": 0, "large": 0}
    wrong = 0
    for first in range(seed, seed + count, BATCH):
        here = min(BATCH, seed + count - first)
        if only is None or first <= only < first + here:
            wrong += compare_batch(first, here, small, only, counts)
        sys.stdout.flush()
    print(f"{count} programs from seed {seed}: {counts['searches']} searches, {counts['complete']} complete, "
          f"{counts['large']} programs too large, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
