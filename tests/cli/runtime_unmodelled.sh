#!/usr/bin/env bash
# Where a run used synchronisation that is not modelled no finding is called certain, and the report
# says what it was.  Elsewhere the same finding is certain.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
. "$FOREWEAVE_SOURCE/tests/cli/runtime.bash"

doubted() { # HOW WHAT: the race on `other`, and that it is not proven because of WHAT
    like_native unmodelled "$1" race
    expect 66 check --analysis=race trace.fwt
    out_has "unmodelled.c"
    out_has "Not proven: the run used synchronisation that is not modelled: $2"
    out_has "Synchronisation that is not modelled was used, so nothing is called certain: $2"
    out_lacks "Certain"
    expect 66 check --analysis=race --format=json trace.fwt
    out_has '"guarantee":"heuristic"'
    out_has "\"unmodelled\":[\"$2\"]"
    out_lacks '"guarantee":"sound"'
}

ordered() { # HOW: what orders the threads is seen
    like_native unmodelled "$1"
    expect 0 check --analysis=race trace.fwt
}

like_native unmodelled alone race
expect 66 check --analysis=race trace.fwt
out_has "unmodelled.c"
out_has "Certain: "
out_lacks "Not proven"
ordered alone

ordered semop
doubted semop "System V semaphore"
ordered msgsnd
doubted msgsnd "System V message queue"
ordered trywait
ordered tryjoin

# What the program itself shows stays as it is.
expect 66 run -q -- ./watched/unmodelled semop race
out_has "Not proven: the run used"
out_has "Confirmed: "
finish
