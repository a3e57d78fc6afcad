#!/usr/bin/env bash
# guard_tables.sh - what the guard sees and does of the bugs of its kernels (tests/guard), in the manner of the source's tables
# 5.1, 5.2, 5.4, 6.2, 6.3 and 6.4: is a failing run detected, by sets, by transactions, by a race detector; how many violations
# have to do with the bug, how were they avoided, over how long a region; what was learnt.  Prints tables in Markdown.
#
#   WORK=folder      of scripts/guard_campaign.sh --work=..., whose constraints are used; it may still be running (required)
#   RUNS=20          adverse runs of each kind for each kernel, and as many calm ones
#   KERNELS="..."    some of them
#   STALL=50         milliseconds
#   BUILD=build      where foreweave is; FOREWEAVE names another one
#
# A violation is a true one if its pair of places has none in guarded calm runs, whose violations are all false.  Detected: of
# the runs that went wrong with --dry those with a true violation.  The race detector is `check --analysis=hb`, of one recording.
set -u
cd "$(dirname "$0")/.." || exit 1
sources=$PWD/tests/guard
foreweave=$(realpath "${FOREWEAVE:-${BUILD:-build}/foreweave}") || exit 1
cd "${WORK:?a folder of guard_campaign.sh}" || exit 1
work=$PWD
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
kernels=${KERNELS:-$(cd "$sources" && grep -l '"kernel.h"' ./*.c | sed 's|./||; s|\.c$||')}
cd "$place" || exit 1
python3 - "$foreweave" "$sources" "$work" "${RUNS:-20}" "${STALL:-50}" $kernels <<'END'
import json
import os
import re
import subprocess
import sys

foreweave, sources, work, runs, stall = sys.argv[1:4] + [int(sys.argv[4]), sys.argv[5]]
kernels = [k for k in sys.argv[6:] if os.path.exists("%s/%s.lifetx" % (work, k))]
kinds = {"pset": [], "lifetx": ["--kind=lifetx"]}


def violations(log):
    lines = [json.loads(line) for line in open(log)] if os.path.exists(log) else []
    return [line for line in lines if "access" in line]


def pair(line):
    return json.dumps([line["access"], line.get("after")], sort_keys=True)


def guarded(kernel, kind, how, seed, *options):
    """Returns whether it was wrong, and its violations."""
    if os.path.exists("log"):
        os.remove("log")
    command = [foreweave, "guard", "-q", "--budget=100", "--stall=" + stall, "--log=log", "-c", "%s/%s.%s" % (work, kernel, kind),
               *kinds[kind], *options, "--", "%s/%s" % (work, kernel), how, str(seed)]
    try:
        status = subprocess.run(command, timeout=30, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    except subprocess.TimeoutExpired:
        status = 124
    return status != 0, violations("log")


def has_race(kernel):
    program = "%s/%s" % (work, kernel)
    subprocess.run([foreweave, "record", "-q", "-o", "race.fwt", "--", program, "adverse", "1"],
                   timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return subprocess.run([foreweave, "check", "--analysis=hb", "race.fwt"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 66


def look(kernel, kind):
    """What is seen and done of one kernel."""
    calm = [line for seed in range(101, 101 + runs) for line in guarded(kernel, kind, "certain", seed)[1]]
    false = {pair(line) for line in calm}
    seen = {"calm": len(calm), "wrong": 0, "detected": 0, "guarded": 0, "lines": []}
    for seed in range(1, runs + 1):
        wrong, lines = guarded(kernel, kind, "adverse", seed, "--dry")
        seen["wrong"] += wrong
        seen["detected"] += wrong and any(pair(line) not in false for line in lines)
        wrong, lines = guarded(kernel, kind, "adverse", seed)
        seen["guarded"] += wrong
        seen["lines"] += lines
    seen["true"] = [line for line in seen["lines"] if pair(line) not in false]
    seen["false"] = [line for line in seen["lines"] if pair(line) in false]
    return seen


def header(*names):
    print("| " + " | ".join(names) + " |\n|" + "---|" * len(names))


def row(*values):
    print("| " + " | ".join(str(value) for value in values) + " |", flush=True)


def done(lines, what):
    return [line for line in lines if line["done"] == what]


def window(lines):
    found = [line["window"] for line in lines if "window" in line]
    if not found:
        return "0"
    return "%d, %d" % (max(w["places"] for w in found), max(w["undone"] for w in found))


def kind_of(kernel):
    return re.search(r"kind: (.*)", open("%s/%s.c" % (sources, kernel)).read()).group(1)


def learnt(kernel):
    text = open("%s/%s.learn" % (work, kernel)).read()
    sizes = re.findall(r"(\d+) sites, (\d+) of them shared; sets of 0: (\d+), 1: (\d+), 2: (\d+)", text)[-1]
    sets = [line.split()[2:] for line in open("%s/%s.pset" % (work, kernel)) if line.startswith("pset")]
    cuts = [line for line in open("%s/%s.lifetx" % (work, kernel)) if line.startswith("cut")]
    plain = [line for line in cuts if not re.match("cut (claim|last|more)", line)]
    shape = [re.findall(r"%s in a transaction: half below (\d+), 90%% below (\d+), 99%% below (\d+), at most (\d+)" % unit, text)[-1]
             for unit in ("events", "words")]
    pairs = sum(sum(name[0].isdigit() for name in names) for names in sets)
    row(kernel, *sizes, pairs, len(plain), *("%s, %s, %s" % (s[0], s[1], s[3]) for s in shape))


looked = {kernel: {kind: look(kernel, kind) for kind in kinds} for kernel in kernels}
print("Detected, of the runs of %d that went wrong without being kept from it:\n" % runs)
header("kernel", "kind", "by sets", "by transactions", "by a race detector")
for kernel in kernels:
    row(kernel, kind_of(kernel), *("%(detected)d of %(wrong)d" % looked[kernel][kind] for kind in kinds), "yes" if has_race(kernel) else "no")
for kind in kinds:
    print("\n%s: violations in %d adverse runs, and in as many calm ones:\n" % ({"pset": "Sets"}.get(kind, "Transactions"), runs))
    header("kernel", "true, static", "dynamic", "false, static", "dynamic", "avoided by waiting", "by going back", "not avoided",
           "longest way back: places, writes undone", "mean wait, ms", "wrong", "calm runs: violations, all false")
    for kernel in kernels:
        seen = looked[kernel][kind]
        lines = seen["lines"]
        back, waited = done(lines, "rolled back"), done(lines, "stalled")
        row(kernel, len({pair(line) for line in seen["true"]}), len(seen["true"]), len({pair(line) for line in seen["false"]}),
            len(seen["false"]), len(waited), len(back), len(lines) - len(waited) - len(back), window(back),
            "%.1f" % (sum(line["ns"] for line in waited) / 1e6 / len(waited)) if waited else "-", seen["guarded"], seen["calm"])
print("\nWhat was learnt (of transactions: half and 90% are below, the largest):\n")
header("kernel", "sites", "shared", "sets of 0", "of 1", "of 2", "pairs", "cutpoints", "events in a transaction", "words")
for kernel in kernels:
    learnt(kernel)
END
