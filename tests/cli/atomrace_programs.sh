#!/usr/bin/env bash
# Under atomrace some of the programs of tests/programs stay silent, and some are caught: a small share
# of scripts/atomrace_campaign.sh.
silent='^(annotated|signal|cancel|fork|exec|dlopen|long_jump|key_destructor|cxx_thread|race)[a-z_]*_ok\.c'
racy='^(annotated_ignore|dlopen|fork_threads|kernel_bank_account|kernel_mozilla_5|race_sizes)\.c'
campaign="$FOREWEAVE_SOURCE/scripts/atomrace_campaign.sh"
# What optimisation may not add is said by optimised code alone.
bash "$campaign" --levels=-O2 --silent-runs=5 --filter='^race_if_mine_ok\.c' || exit 1
exec bash "$campaign" --rotate --silent-runs=2 --filter="$silent|$racy"
