/*
 * shrink.c - see shrink.h.  Delta debugging (Zeller 1999) over lines, by whole
 * threads first, since a thread is what is easiest to do without.
 */
#include "support/shrink.h"

#include "base/vec.h"

#include <stdint.h>
#include <stdio.h>

#define GONE UINT32_MAX

FW_VEC_TYPE(text, char);

struct shrinker {
    FW_VEC(char *) lines; /* comments included, each NUL-terminated without its newline */
    bool *dropped;
    fw_shrink_fails fails;
    void *context;
    struct text trial;
};

static bool is_event(const char *line)
{
    return *line && *line != '#';
}

static void put(struct text *to, const char *text, size_t len)
{
    fw_vec_reserve(to, to->len + len + 1);
    memcpy(to->at + to->len, text, len);
    to->len += len;
    to->at[to->len] = 0;
}

/* The new index of each old one; GONE for dropped events. */
static uint32_t *renumber(const struct shrinker *s, uint32_t *count)
{
    uint32_t *map = fw_xcalloc(s->lines.len + 1, sizeof *map), next = 0;

    *count = 0;
    for (size_t i = 0; i < s->lines.len; i++)
        if (is_event(s->lines.at[i]))
            map[(*count)++] = s->dropped[i] ? GONE : next++;
    return map;
}

/* Copies a line, with the number behind rf= changed or the attribute left out. */
static void put_line(struct text *to, const char *line, const uint32_t *map, uint32_t count)
{
    const char *rf = strstr(line, "rf="), *behind;
    unsigned long old;
    char number[32];

    if (!rf || rf == line || (rf[-1] != '|' && rf[-1] != ',')) {
        put(to, line, strlen(line));
    } else {
        old = strtoul(rf + 3, NULL, 10);
        behind = rf + 3 + strspn(rf + 3, "0123456789");
        if (old < count && map[old] != GONE) {
            put(to, line, (size_t)(rf - line));
            put(to, number, (size_t)sprintf(number, "rf=%u", map[old]));
            put(to, behind, strlen(behind));
        } else if (*behind == ',') {
            put(to, line, (size_t)(rf - line));
            put(to, behind + 1, strlen(behind + 1));
        } else {
            put(to, line, (size_t)(rf - line - 1));
            while (to->at[to->len - 1] == '|') /* the site before it was empty as well */
                to->len--;
        }
    }
    put(to, "\n", 1);
}

static void render(struct shrinker *s)
{
    uint32_t count;
    uint32_t *map = renumber(s, &count);

    fw_vec_clear(&s->trial);
    put(&s->trial, "", 0);
    for (size_t i = 0; i < s->lines.len; i++)
        if (!s->dropped[i])
            put_line(&s->trial, s->lines.at[i], map, count);
    free(map);
}

static bool still_fails(struct shrinker *s)
{
    render(s);
    return s->fails(s->context, s->trial.at, s->trial.len);
}

/* Drops the lines marked in `victims`; takes that back unless it still fails. */
static bool try_drop(struct shrinker *s, const bool *victims)
{
    bool *before = fw_xcalloc(s->lines.len + 1, sizeof *before), any = false;

    memcpy(before, s->dropped, s->lines.len * sizeof *before);
    for (size_t i = 0; i < s->lines.len; i++) {
        bool drop = victims[i] && is_event(s->lines.at[i]); /* comments say what the trace is */

        any |= drop && !s->dropped[i];
        s->dropped[i] |= drop;
    }
    any = any && still_fails(s);
    if (!any)
        memcpy(s->dropped, before, s->lines.len * sizeof *before);
    free(before);
    return any;
}

/* Is the line an event of the named thread, or its fork or join? */
static bool is_about(const char *line, const char *name, size_t len)
{
    const char *bar = strchr(line, '|');

    if (!bar)
        return false;
    if ((size_t)(bar - line) == len && memcmp(line, name, len) == 0)
        return true;
    if (strncmp(bar, "|fork(", 6) != 0 && strncmp(bar, "|join(", 6) != 0)
        return false;
    return strncmp(bar + 6, name, len) == 0 && bar[6 + len] == ')';
}

static bool drop_threads(struct shrinker *s, bool *victims)
{
    bool any = false;

    for (size_t i = 0; i < s->lines.len; i++) {
        const char *name = s->lines.at[i];
        size_t len = strcspn(name, "|");

        if (s->dropped[i] || !is_event(name))
            continue;
        for (size_t k = 0; k < s->lines.len; k++)
            victims[k] = is_about(s->lines.at[k], name, len);
        any |= try_drop(s, victims);
    }
    return any;
}

static bool drop_runs(struct shrinker *s, bool *victims)
{
    bool any = false;

    for (size_t size = s->lines.len / 2; size >= 1; size /= 2)
        for (size_t from = 0; from < s->lines.len; from += size) {
            memset(victims, 0, s->lines.len * sizeof *victims);
            for (size_t i = from; i < from + size && i < s->lines.len; i++)
                victims[i] = true;
            any |= try_drop(s, victims);
        }
    return any;
}

static bool drop_pairs(struct shrinker *s, bool *victims)
{
    bool any = false;

    for (size_t i = 0; i < s->lines.len; i++)
        for (size_t k = i + 1; k < s->lines.len && !s->dropped[i]; k++) {
            if (s->dropped[k])
                continue;
            memset(victims, 0, s->lines.len * sizeof *victims);
            victims[i] = victims[k] = true;
            any |= try_drop(s, victims);
        }
    return any;
}

/* Takes off site and attributes where they do not matter. */
static void drop_fields(struct shrinker *s)
{
    for (size_t i = 0; i < s->lines.len; i++) {
        char *field = strchr(s->lines.at[i], '|');

        field = field ? strchr(field + 1, '|') : NULL;
        if (s->dropped[i] || !field)
            continue;
        *field = 0;
        if (!still_fails(s))
            *field = '|';
    }
}

static void split(struct shrinker *s, const char *text, size_t size)
{
    while (size) {
        const char *end = memchr(text, '\n', size);
        size_t len = end ? (size_t)(end - text) : size;

        fw_vec_push(&s->lines, fw_xstrndup(text, len));
        len += end != NULL;
        text += len;
        size -= len;
    }
    s->dropped = fw_xcalloc(s->lines.len + 1, sizeof *s->dropped);
}

char *fw_shrink(const char *text, size_t size, fw_shrink_fails fails, void *context,
                size_t *small_size)
{
    struct shrinker s = { .fails = fails, .context = context };
    bool *victims;

    split(&s, text, size);
    victims = fw_xcalloc(s.lines.len + 1, sizeof *victims);
    for (bool again = true; again;) {
        again = drop_threads(&s, victims);
        again |= drop_runs(&s, victims);
        again |= drop_pairs(&s, victims);
    }
    drop_fields(&s);
    render(&s);
    for (size_t i = 0; i < s.lines.len; i++)
        free(s.lines.at[i]);
    fw_vec_release(&s.lines);
    free(s.dropped);
    free(victims);
    *small_size = s.trial.len;
    return s.trial.at;
}
