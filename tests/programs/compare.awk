# compare.awk - compares a result of `foreweave check --format=json` with what a program expects.
#
#   awk -f compare.awk PROGRAM [LIBRARY] RESULT.json
#
# Prints a line for every difference, nothing if there is none.  See README.md for what a program
# says.  Names in it are tags: /* @A */ at the end of a line makes the line A.

function base(path)
{
    sub(/.*\//, "", path)
    return path
}

# A line of a program: as its tag if it has one.
function tag(site,    file, line)
{
    line = site
    sub(/^.*:/, "", line)
    file = base(substr(site, 1, length(site) - length(line) - 1))
    if ((file, line) in tags)
        return tags[file, line]
    return file ":" line
}

# Words of n, from the second one on, sorted if the order of a finding's events says nothing.
function key(kind, words, n,    i, j, swap, text)
{
    if (kind == "race" || kind == "deadlock")
        for (i = 1; i <= n; i++)
            for (j = i + 1; j <= n; j++)
                if (words[j] < words[i]) {
                    swap = words[i]
                    words[i] = words[j]
                    words[j] = swap
                }
    text = kind
    for (i = 1; i <= n && (kind != "nondeterminism" || i == 1); i++)
        text = text " " words[i]
    return text
}

function directive(line,    what, words, n, i, kind)
{
    what = line
    sub(/^ \* /, "", what)
    sub(/:.*/, "", what)
    sub(/^[^:]*: */, "", line)
    if (line == "nothing")
        return
    n = split(line, words, " ")
    kind = words[1]
    for (i = 1; i < n; i++)
        words[i] = words[i + 1]
    said[what, key(kind, words, n - 1)] = 1
}

# The text between `open` and its closing bracket.
function bracketed(text, open,    depth, i, c)
{
    i = index(text, open)
    if (!i)
        return ""
    text = substr(text, i + length(open))
    depth = 1
    for (i = 1; i <= length(text) && depth; i++) {
        c = substr(text, i, 1)
        if (c == "[")
            depth++
        else if (c == "]")
            depth--
    }
    return substr(text, 1, i - 2)
}

function value(text, name)
{
    if (!match(text, "\"" name "\":\"[^\"]*\""))
        return ""
    return substr(text, RSTART + length(name) + 4, RLENGTH - length(name) - 5)
}

# Where an event is in the program: its site, or the first of its frames there.
function place(event,    site, frame, rest)
{
    site = value(event, "site")
    rest = event
    while (!is_ours(site) && match(rest, /"site":"[^"]*"/)) {
        frame = substr(rest, RSTART + 8, RLENGTH - 9)
        rest = substr(rest, RSTART + RLENGTH)
        if (is_ours(frame))
            site = frame
    }
    return tag(site)
}

function is_ours(site,    file)
{
    file = site
    sub(/:[0-9]+$/, "", file)
    return base(file) in ours
}

function finding(text,    kind, events, n, i, words, list)
{
    kind = value(text, "kind")
    events = bracketed(text, "\"events\":[")
    n = split(events, list, /\{"index":/)
    for (i = 2; i <= n; i++)
        words[i - 1] = place(list[i])
    found[key(kind, words, n - 1)] = 1
}

FILENAME ~ /\.json$/ {
    all = bracketed($0, "\"findings\":[")
    many = split(all, parts, /\{"id":/)
    for (part = 2; part <= many; part++)
        finding(parts[part])
    seen = 1
    next
}

FNR == 1 {
    ours[base(FILENAME)] = 1
}

/^ \* (expect|may|never): / {
    directive($0)
}

match($0, /\/\* @[A-Z]+ \*\//) {
    tags[base(FILENAME), FNR] = substr($0, RSTART + 4, RLENGTH - 7)
}

END {
    if (!seen)
        print "no result"
    for (pair in said) {
        split(pair, part_of, SUBSEP)
        if (part_of[1] == "expect" && !(part_of[2] in found))
            print "missing: " part_of[2]
        if (part_of[1] == "never" && part_of[2] in found)
            print "reported, but never so: " part_of[2]
    }
    for (one in found)
        if (one ~ /^(race|deadlock) / && !(("expect", one) in said) && !(("may", one) in said))
            print "reported, but not expected: " one
}
