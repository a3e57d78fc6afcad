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
doubted pairs "more connections than can be kept in mind"
doubted aio "asynchronous input and output"
ordered trywait
ordered tryjoin

# What the program itself shows stays as it is.
expect 66 run -q -- ./watched/unmodelled semop race
out_has "Not proven: the run used"
out_has "Confirmed: "

# OpenMP's library has no hooks: its loops and critical sections are ordered by what nobody sees.
cat >omp.c <<'END'
#include <stdio.h>
int main(void)
{
    long sum = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
        sum++;
    }
    printf("%ld\n", sum);
    return 0;
}
END
if "$FOREWEAVE" cc -g -O1 -fopenmp omp.c -o omp 2>/dev/null; then
    expect 0 record -o omp.fwt -- ./omp
    out_is 3
    err_has "synchronisation that is not modelled: OpenMP (libgomp.so.1)"
    "$FOREWEAVE" check --analysis=race omp.fwt >report 2>&1
    ! grep -q Certain report || { complain "a finding under OpenMP is certain"; head -20 report; }
    grep -q 'Not instrumented.*libgomp' report || { complain "libgomp is not named"; cat report; }
fi
finish
