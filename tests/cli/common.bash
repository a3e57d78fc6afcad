# common.bash - sourced by the command line tests.
#
#   expect STATUS ARGUMENTS...   runs foreweave; complains unless it exits so
#   out_is / out_has / err_is / err_has / err_lacks TEXT   about what the last run printed; has and lacks take several
#   finish                       ends the test
#
# Scratch files go to the current directory, a fresh one that is removed at the end.
set -u
failures=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/foreweave-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
unset FOREWEAVE_OPTIONS NO_COLOR COLUMNS
traces=$FOREWEAVE_SOURCE/tests/traces
out=$scratch/.out
err=$scratch/.err
last=

complain() {
    echo "FAILED: $*"
    [ -z "$last" ] || echo "  replay: $last"
    failures=$((failures + 1))
}

# Standard input, output and error are as the caller redirects them, else captured.
expect() {
    local wanted=$1 got
    shift
    last="foreweave $*"
    "$FOREWEAVE" "$@" >"$out" 2>"$err"
    got=$?
    if [ "$got" != "$wanted" ]; then
        complain "exit status $got, not $wanted"
        head -5 "$err"
    fi
}

all_in() { # FILE VERB LINES TEXT...
    local file=$1 verb=$2 lines=$3 text
    shift 3
    for text; do
        grep -qF -e "$text" "$file" || { complain "$verb '$text' but:"; head -"$lines" "$file"; }
    done
}
none_in() { # FILE VERB LINES TEXT...
    local file=$1 verb=$2 lines=$3 text
    shift 3
    for text; do
        ! grep -qF -e "$text" "$file" || { complain "$verb '$text'"; head -"$lines" "$file"; }
    done
}
out_is() { [ "$(cat "$out")" = "$1" ] || { complain "printed not '$1' but:"; head -20 "$out"; }; }
out_has() { all_in "$out" "did not print" 20 "$@"; }
out_lacks() { none_in "$out" "printed" 20 "$@"; }
err_is() { [ "$(cat "$err")" = "$1" ] || { complain "said not '$1' but:"; head -5 "$err"; }; }
err_has() { all_in "$err" "did not say" 5 "$@"; }
err_lacks() { none_in "$err" "said" 5 "$@"; }
silent() { [ ! -s "$err" ] || { complain "said something:"; head -5 "$err"; }; }
same() { cmp -s "$1" "$2" || { complain "$1 and $2 differ"; diff "$1" "$2" | head -10; }; }

# An error is one message; a usage error has one more line, which says where to find help.
one_error() {
    [ "$(wc -l <"$err")" = "${1:-1}" ] || { complain "not ${1:-1} line(s) of error:"; cat "$err"; }
    head -1 "$err" | grep -q '^foreweave: ' || { complain "not an error of foreweave:"; cat "$err"; }
}

# A message of the C library's sanitizers or a crash is never right.
finish() {
    [ "$failures" = 0 ] && exit 0
    echo "$failures failure(s)"
    exit 1
}
