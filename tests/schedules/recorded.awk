# recorded.awk - which kinds of findings show the bug of a program?
#
#   awk -f recorded.awk PROGRAM RESULT.json
#
# Prints the kinds, one a line.  A finding shows the bug if each of its events is in a line that the program
# marks by a comment, /* @bug */, or in a function that is called in such a line.

function base(path)
{
    sub(/.*\//, "", path)
    return path
}

# An event's site comes first, then those of its callers.
function is_marked(event,    site)
{
    while (match(event, /"site":"[^"]*"/)) {
        site = base(substr(event, RSTART + 8, RLENGTH - 9))
        if (site in marked)
            return 1
        event = substr(event, RSTART + RLENGTH)
    }
    return 0
}

function shows(finding,    events, n, i, list)
{
    events = finding
    sub(/^.*"events":\[/, "", events)
    sub(/"(location|threads|detail|witness)":.*/, "", events)
    n = split(events, list, /\{"index":/)
    for (i = 2; i <= n; i++)
        if (!is_marked(list[i]))
            return 0
    return n > 1
}

FILENAME !~ /\.json$/ && /\/\* @bug \*\// {
    marked[base(FILENAME) ":" FNR] = 1
}

FILENAME ~ /\.json$/ {
    many = split($0, parts, /\{"id":/)
    for (part = 2; part <= many; part++)
        if (shows(parts[part])) {
            match(parts[part], /"kind":"[a-z]*"/)
            kinds[substr(parts[part], RSTART + 8, RLENGTH - 9)] = 1
        }
}

END {
    for (kind in kinds)
        print kind
}
