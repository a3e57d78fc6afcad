#!/usr/bin/env python3
"""row.py TITLE FOLDER JOB RESULT - one row of the table of realworld.sh, from what is in FOLDER."""
import json
import os
import re
import sys

title, folder, job, result = sys.argv[1:5]


def taken(way):
    """Processor time, wall time and the processor time of waited-for processes, in seconds."""
    try:
        with open(os.path.join(folder, way, job + ".taken")) as file:
            words = file.read().split()
        return float(words[1]), float(words[5]), float(words[6])
    except (OSError, IndexError):
        return None


def ratio(some, all_):
    return "%.1f" % (some / all_) if all_ else "-"


def findings():
    try:
        with open(os.path.join(folder, job + ".json")) as file:
            report = json.load(file)
    except (OSError, ValueError):
        return "-", "-"
    found = ["%s %d%s" % (a["name"], a["findings"], "" if a.get("complete") else "+")
             for a in report.get("analyses", [])]
    modules = report.get("trace", {}).get("uninstrumented", [])
    names = ", ".join(os.path.basename(module) for module in modules) if modules else "none"
    return ", ".join(found), names


def events():
    """As the recorder said."""
    try:
        with open(os.path.join(folder, "foreweave", job + ".errors")) as file:
            said = re.search(r"^foreweave: ([0-9,]+) events of ", file.read(), re.MULTILINE)
        return int(said.group(1).replace(",", "")) if said else 0
    except OSError:
        return 0


native, recorded = taken("native"), taken("foreweave")
cells = [title.replace(" ", ", ", 1), result]
if native and recorded:
    cells += ["%.2f" % native[0], ratio(recorded[2], native[0]), ratio(recorded[0], native[0]),
              ratio(recorded[1], native[1])]
else:
    cells += ["-"] * 4
count, (found, modules) = events(), findings()
trace = os.path.join(folder, job + ".fwt")
size = os.path.getsize(trace) if os.path.exists(trace) else 0
cells += [str(count or "-"), "%.1f" % (size / 1e6),
          "%.2f" % (size / count) if count else "-", found, modules]
print("| " + " | ".join(cells) + " |", flush=True)
