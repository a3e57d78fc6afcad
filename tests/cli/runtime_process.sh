#!/usr/bin/env bash
# fork, exec, spawning, exiting and loading libraries: as without us, in both processes.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
. "$FOREWEAVE_SOURCE/tests/cli/runtime.bash"

like_native process
like_native leaves
for how in return exit _exit _Exit quick_exit exit_group pthread_exit thread-exit; do
    like_native deaths "$how"
done
finish
