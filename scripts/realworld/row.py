#!/usr/bin/env python3
"""row.py TITLE FOLDER JOB RESULT - one row of the table of realworld.sh, from what is in FOLDER."""
import json
import os
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
        return "-", "-", "-"
    found = ["%s %d%s" % (a["name"], a["findings"], "" if a.get("complete") else "+")
             for a in report.get("analyses", [])]
    modules = report.get("trace", {}).get("uninstrumented", [])
    names = ", ".join(os.path.basename(module) for module in modules) if modules else "none"
    return report.get("trace", {}).get("events", 0), ", ".join(found), names


native, recorded = taken("native"), taken("foreweave")
cells = [title.replace(" ", ", ", 1), result]
if native and recorded:
    cells += ["%.2f" % native[0], ratio(recorded[2], native[0]), ratio(recorded[0], native[0]),
              ratio(recorded[1], native[1])]
else:
    cells += ["-"] * 4
events, found, modules = findings()
trace = os.path.join(folder, job + ".fwt")
size = os.path.getsize(trace) if os.path.exists(trace) else 0
cells += [str(events), "%.1f" % (size / 1e6),
          "%.2f" % (size / events) if events not in ("-", 0) else "-", found, modules]
print("| " + " | ".join(cells) + " |", flush=True)
