#!/usr/bin/env bash
# -h, --help, man pages and completion agree, for every command; the examples are real.
. "$FOREWEAVE_SOURCE/tests/cli/common.bash"
completion=$scratch/completion.bash
expect 0 help --completion=bash
cp "$out" "$completion"
bash -n "$completion" || complain "the completion is not valid bash"
# shellcheck disable=SC1090
. "$completion"
mkdir man
expect 0 help --man-dir=man
# The rows of the completion name all commands.
mapfile -t commands < <(sed -n 's/^    "foreweave *\([a-z+ ]*\)") echo.*--help.*/\1/p' "$completion")
[ "${#commands[@]}" -ge 9 ] || complain "only ${#commands[@]} commands"

for command in "${commands[@]}"; do
    # shellcheck disable=SC2206
    words=($command)
    page=man/foreweave${command:+-${command// /-}}.1
    [ -s "$page" ] || { complain "no man page $page"; continue; }
    expect 0 "${words[@]}" -h
    silent
    cp "$out" short
    [ "$(wc -l <short)" -le 24 ] || complain "-h does not fit one screen"
    [ "$(awk '{ print length($0) }' short | sort -n | tail -1)" -le 80 ] || complain "-h is wider than 80 columns"
    expect 0 "${words[@]}" --help
    silent
    cp "$out" manual
    expect 0 help "${words[@]}"
    same "$out" manual
    expect 0 help --man "${words[@]}"
    same "$out" "$page"
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES "EXIT STATUS"; do
        grep -q "^$section" manual || complain "--help has no $section"
        grep -q "^.SH $section" "$page" || complain "the man page has no $section"
    done
    # Every option is everywhere; there is no other.
    { grep -oE '^ +(-[a-zA-Z], |    )--[a-z-]+' short; sed -n '/^  and, see --help:/,/^  -h/{s/see --help//;/^  -h/d;p}' short; } |
        grep -oE -e '--[a-z-]+' | sort -u >in-short
    grep -oE '^    (-[a-zA-Z], |    )--[a-z-]+' manual | grep -oE -e '--[a-z-]+' | sort >in-manual
    sed -n 's/\\-/-/g; s/^\(\\fB-[a-zA-Z]\\fR, \)\{0,1\}\\fB\(--[a-z-]*\)\\fR.*/\2/p' "$page" | sort >in-man
    _foreweave_words "foreweave${command:+ $command}" | tr ' ' '\n' | grep -e '^--' | tr -d = | sort >in-completion
    [ -s in-short ] || complain "no options"
    same in-short in-manual
    same in-short in-man
    same in-short in-completion
done
if command -v man >/dev/null && command -v groff >/dev/null; then
    for page in man/*.1; do
        last="man -l $page"
        MANROFFOPT=-ww LC_ALL=C.UTF-8 man --warnings -l "$page" 2>"$err" >/dev/null
        silent
    done
fi

# Completion, as bash calls it.
complete_line() { # EXPECTED WORDS... : the last word is being typed
    local wanted=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    compopt() { :; }
    _foreweave
    last="completion of: $*"
    [ "${COMPREPLY[*]}" = "$wanted" ] || complain "completed to '${COMPREPLY[*]}', not '$wanted'"
}
touch trace-a.std
complete_line "check" foreweave ch
complete_line "info" foreweave trace i
complete_line "--repair" foreweave trace info --rep
complete_line "text json" foreweave trace info --format = ""
complete_line "text json" foreweave trace info --format =
complete_line "json" foreweave trace info --format = j
complete_line "json" foreweave trace info --format j
complete_line "r,w r,wake" foreweave trace show --kind = r,w
complete_line "trace-a.std" foreweave trace show trace-a
complete_line "trace-a.std" foreweave trace show -o trace-a
complete_line "trace" foreweave help tr
complete_line "show" foreweave help trace sh
complete_line "--man --man-dir=" foreweave help --man
complete_line "" foreweave version --zzz

# The examples in the manuals name real commands and options.
while read -r line; do
    # shellcheck disable=SC2206
    words=(${line#*foreweave })
    [ "${words[0]}" = help ] && continue
    path=${words[0]}
    _foreweave_words "foreweave $path ${words[1]-}" | grep -q . && path="$path ${words[1]}"
    known=" $(_foreweave_words "foreweave $path") "
    last="example: $line"
    [ "$known" != "  " ] || complain "no such command"
    for word in "${words[@]}"; do
        case $word in
        --*=*) [ "$known" != "${known/ ${word%%=*}= /}" ] || complain "no such option" ;;
        --?*) [ "$known" != "${known/ $word /}" ] || [ "$known" != "${known/ $word= /}" ] || complain "no such option" ;;
        esac
    done
done < <(for command in "${commands[@]}"; do
    # shellcheck disable=SC2086
    "$FOREWEAVE" help $command | sed -n '/^EXAMPLES/,/^EXIT/p' | grep -E '^ {4}[a-z]' | grep foreweave | sed 's/ |.*man.*//'
done)
finish
