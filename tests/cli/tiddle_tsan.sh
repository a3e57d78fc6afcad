#!/usr/bin/env bash
# An analysis does not see turn-taking: ThreadSanitizer reports a data race in the generated program
# if and only if happens-before leaves one unordered in the trace.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
export TSAN_OPTIONS=detect_deadlocks=0

# Whether it works here at all: some kernels do not let it start.
printf 'int main(void) { return 0; }\n' >try.c
if ! cc -fsanitize=thread try.c -o try 2>"$err" || ! ./try 2>"$err"; then
    echo "ThreadSanitizer does not work here: nothing was tested"
    exit 0
fi

# ThreadSanitizer knows no fences and continues release sequences through relaxed stores; a wait
# that is spelt out has no edge from its notify.
exceptions="atomic-fence-silent.std atomic-release-sequence-broken.std notify-rf-silent.std
            free-no-realloc.std"
number=0
for trace in "$traces"/*.std "$traces"/*.tid; do
    name=$(basename "$trace")
    number=$((number + 1))
    case " $(echo $exceptions) " in *" $name "*) continue ;; esac
    [ $((number % 4)) = 0 ] || grep -qE 'wake|barin|racq|pend|ald' "$trace" || continue
    expect 0 tiddle compile -q "$trace" -o a.c
    cc -std=c11 -Wall -Wextra -Werror -pthread -O1 -fsanitize=thread a.c -o a >"$err" 2>&1 ||
        { complain "cc fails on $name"; head -5 "$err"; }
    last="ThreadSanitizer on the program of $name"
    ./a >"$out" 2>"$err"
    if grep -q '# expect hb: none' "$trace"; then
        silent
    else
        err_has "WARNING: ThreadSanitizer: data race"
    fi
done
finish
