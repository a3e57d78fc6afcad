# runtime.bash - sourced by the tests of the library inside programs (after common.bash).
#
#   like_native NAME [ARGUMENT...]   tests/cli/runtime/NAME.c prints and returns, built with the
#                                    wrapper and recorded with several schedules, what it does alone
#   The last recording is trace.fwt.

programs=$FOREWEAVE_SOURCE/tests/cli/runtime

# native/NAME and watched/NAME are the same program, so messages with its name agree.
build() {
    [ -x "native/$1" ] && return
    mkdir -p native watched
    gcc -w -O1 -pthread "$programs/$1.c" -o "native/$1" &&
        "$FOREWEAVE" cc -w -g -O1 -pthread "$programs/$1.c" -o "watched/$1" ||
        complain "cannot build $1"
}

# The shell would tell of signals; what the program itself prints is compared.
run_into() { # FILE COMMAND...
    local file=$1
    shift
    { timeout -k 5 300 "$@" >"$file" 2>&1; } 2>/dev/null
    echo "status $?" >>"$file"
}

like_native() {
    local name=$1 quantum
    shift
    build "$name"
    run_into wanted "./native/$name" "$@"
    run_into got "./watched/$name" "$@"
    last="$name $*, not recorded"
    same got wanted
    for quantum in 2 40 10000; do
        rm -f trace*.fwt
        run_into got "$FOREWEAVE" record -q -o trace.fwt "--quantum=$quantum" "--seed=$quantum" -- \
            "./watched/$name" "$@"
        last="foreweave record --quantum=$quantum --seed=$quantum -- $name $*"
        same got wanted
        "$FOREWEAVE" trace info trace.fwt >info 2>&1 || { complain "no trace"; head -3 info; }
    done
}
