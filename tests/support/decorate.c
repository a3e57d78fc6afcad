/* decorate.c - see decorate.h. */
#include "support/decorate.h"

#include "base/vec.h"

#include <stdio.h>

#define MAX_LINE 512u

/* A line taken apart; fields point into it. */
struct line {
    char *thread, *op, *site, *attrs; /* op with its target; the latter two may be NULL */
    char text[MAX_LINE];
};

struct held {
    char lock[32], thread[16];
    bool shared;
};

struct decorator {
    struct fw_random *random;
    FW_VEC(char) out;
    FW_VEC(uint32_t) moved;    /* old index → new index */
    uint32_t written;          /* event lines so far */
    FW_VEC(struct held) inner; /* inner acquires that still need their release */
    bool crlf;
};

static bool chance(struct decorator *d, uint32_t percent)
{
    return fw_random_percent(d->random, percent);
}

static void put(struct decorator *d, const char *text)
{
    size_t len = strlen(text);

    fw_vec_reserve(&d->out, d->out.len + len + 1);
    memcpy(d->out.at + d->out.len, text, len + 1);
    d->out.len += len;
}

static void end_line(struct decorator *d)
{
    put(d, d->crlf ? "\r\n" : "\n");
}

/* The thread is that of the next event: no other one goes on from a wait here. */
static void put_noise(struct decorator *d, const char *thread)
{
    if (chance(d, 6)) {
        put(d, "# T1|w(nothing)|");
        end_line(d);
    }
    if (chance(d, 4))
        end_line(d);
    if (chance(d, 5)) {
        put(d, thread);
        put(d, "|req(none)");
        end_line(d);
        d->written++;
    }
}

static void put_event(struct decorator *d, const char *thread, const char *op, const char *site,
                      const char *attrs)
{
    bool bare = thread[0] == 'T' && chance(d, 20);

    put(d, bare ? thread + 1 : thread);
    put(d, chance(d, 5) ? " | " : "|");
    put(d, op);
    if (site || attrs || chance(d, 30)) {
        put(d, "|");
        put(d, site ? site : "");
    }
    if (attrs) {
        put(d, "|");
        put(d, attrs);
    }
    end_line(d);
    d->written++;
}

static void take_apart(struct line *line, const char *text, size_t len)
{
    char **fields[] = { &line->thread, &line->op, &line->site, &line->attrs };
    char *at = line->text;

    *line = (struct line) { 0 };
    memcpy(line->text, text, len < MAX_LINE - 1 ? len : MAX_LINE - 1);
    for (size_t i = 0; i < 4 && at; i++) {
        char *bar = strchr(at, '|');

        *fields[i] = at;
        if (bar)
            *bar++ = 0;
        at = bar;
    }
}

/* "acq(L)" → "L"; false if the operation is another one. */
static bool lock_of(const char *op, const char *name, char *lock, size_t size)
{
    size_t len = strlen(name);

    if (strncmp(op, name, len) != 0 || op[len] != '(')
        return false;
    snprintf(lock, size, "%.*s", (int)strcspn(op + len + 1, ")"), op + len + 1);
    return true;
}

/* Behind an acquire: take the lock a second time. */
static void nest(struct decorator *d, const struct line *line)
{
    struct held held = { .shared = false };
    char op[64];

    snprintf(held.thread, sizeof held.thread, "%s", line->thread);
    if (lock_of(line->op, "racq", held.lock, sizeof held.lock) ||
        lock_of(line->op, "tryracq", held.lock, sizeof held.lock))
        held.shared = true;
    else if (!lock_of(line->op, "acq", held.lock, sizeof held.lock) &&
             !lock_of(line->op, "tryacq", held.lock, sizeof held.lock))
        return;
    if (!chance(d, 15))
        return;
    snprintf(op, sizeof op, "%s(%s)", held.shared ? "racq" : "acq", held.lock);
    put_event(d, held.thread, op, NULL, NULL);
    fw_vec_push(&d->inner, held);
}

/* Before a release: if the lock was taken a second time, give that back. */
static void unnest(struct decorator *d, const struct line *line)
{
    char lock[32], op[64];

    if (!lock_of(line->op, "rel", lock, sizeof lock) &&
        !lock_of(line->op, "wait", lock, sizeof lock) &&
        !lock_of(line->op, "rrel", lock, sizeof lock))
        return;
    for (size_t i = 0; i < d->inner.len; i++) {
        struct held held = d->inner.at[i];

        if (strcmp(held.lock, lock) != 0 || strcmp(held.thread, line->thread) != 0)
            continue;
        snprintf(op, sizeof op, "%s(%s)", held.shared ? "rrel" : "rel", lock);
        put_event(d, held.thread, op, NULL, NULL);
        d->inner.at[i] = fw_vec_last(&d->inner);
        d->inner.len--;
        return;
    }
}

/* One attribute, spelled another way or with its index moved. */
static void spell(struct decorator *d, const char *attr, char *to, size_t size)
{
    static const char *const longer[][2] = {
        { "ord=rlx", "ord=relaxed" }, { "ord=con", "ord=consume" }, { "ord=acq", "ord=acquire" },
        { "ord=rel", "ord=release" }, { "ord=acq_rel", "ord=ar" },
    };

    if (strncmp(attr, "rf=", 3) == 0) {
        snprintf(to, size, "rf=%u", d->moved.at[strtoul(attr + 3, NULL, 10)]);
        return;
    }
    for (size_t i = 0; i < 5; i++)
        if (strcmp(attr, longer[i][0]) == 0 && chance(d, 50)) {
            snprintf(to, size, "%s", longer[i][1]);
            return;
        }
    snprintf(to, size, "%s", attr);
}

/* The attributes, each put in front of or behind those before it. */
static void respell(struct decorator *d, char *attrs, char *to, size_t size)
{
    char before[MAX_LINE], one[64];

    *to = 0;
    for (char *attr = strtok(attrs, ","); attr; attr = strtok(NULL, ",")) {
        spell(d, attr, one, sizeof one);
        snprintf(before, sizeof before, "%s", to);
        if (!*before)
            snprintf(to, size, "%s", one);
        else if (chance(d, 50))
            snprintf(to, size, "%s, %s", one, before);
        else
            snprintf(to, size, "%s,%s", before, one);
    }
}

/* Is the line just this operation of the thread on the target? */
static bool is_plain(const char *text, const char *thread, const char *op, const char *target)
{
    char wanted[128];

    snprintf(wanted, sizeof wanted, "%s|%s(%s)", thread, op, target);
    return text && strcmp(text, wanted) == 0;
}

/*
 * A whole wait on the lock's own condition, rel, wake, acq, can be one line of
 * the dialect, wait(l), if the thread goes on right behind the acq: the reader
 * puts wake and acq before the thread's next event.
 */
static void shorten_wait(struct decorator *d, char **lines, size_t count, size_t at)
{
    char lock[32], *wait;
    struct line line;
    size_t len, next = at + 1;

    take_apart(&line, lines[at], strlen(lines[at]));
    len = strlen(line.thread);
    if (!line.op || !lock_of(line.op, "rel", lock, sizeof lock) || !chance(d, 70))
        return;
    while (next < count &&
           !(lines[next] && strncmp(lines[next], line.thread, len) == 0 && lines[next][len] == '|'))
        next++;
    if (next + 2 >= count || !is_plain(lines[next], line.thread, "wake", lock) ||
        !is_plain(lines[next + 1], line.thread, "acq", lock) ||
        strncmp(lines[next + 2], line.thread, len) != 0 || lines[next + 2][len] != '|')
        return;
    wait = fw_xasprintf("%s|wait%s", line.thread, strchr(lines[at], '('));
    free(lines[at]);
    lines[at] = wait;
    free(lines[next]);
    free(lines[next + 1]);
    lines[next] = lines[next + 1] = NULL;
}

static void decorate_line(struct decorator *d, const char *text)
{
    char attrs[MAX_LINE * 2] = "", op[MAX_LINE];
    struct line line;

    take_apart(&line, text, strlen(text));
    put_noise(d, line.thread);
    unnest(d, &line);
    fw_vec_push(&d->moved, d->written);
    if (line.attrs)
        respell(d, line.attrs, attrs, sizeof attrs);
    snprintf(op, sizeof op, "%s", line.op);
    if ((strncmp(op, "fork(T", 6) == 0 || strncmp(op, "join(T", 6) == 0) && chance(d, 30))
        memmove(op + 5, op + 6, strlen(op + 6) + 1);
    put_event(d, line.thread, op, line.site, line.attrs ? attrs : NULL);
    nest(d, &line);
}

static void decorate_lines(struct decorator *d, char **lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i] && *lines[i] != '#')
            shorten_wait(d, lines, count, i);
    for (size_t i = 0; i < count; i++) {
        if (!lines[i]) { /* an event that is there without a line */
            fw_vec_push(&d->moved, d->written);
        } else if (*lines[i] == '#') {
            put(d, lines[i]);
            end_line(d);
        } else {
            decorate_line(d, lines[i]);
        }
        free(lines[i]);
    }
}

char *fw_decorate(const char *text, size_t size, struct fw_random *random, size_t *new_size)
{
    struct decorator d = { .random = random };
    FW_VEC(char *) lines = { 0 };

    d.crlf = chance(&d, 30);
    put(&d, "");
    while (size) {
        const char *end = memchr(text, '\n', size);
        size_t len = end ? (size_t)(end - text) : size;

        fw_vec_push(&lines, fw_xstrndup(text, len));
        len += end != NULL;
        text += len;
        size -= len;
    }
    decorate_lines(&d, lines.at, lines.len);
    fw_vec_release(&lines);
    fw_vec_release(&d.moved);
    fw_vec_release(&d.inner);
    *new_size = d.out.len;
    return d.out.at;
}
