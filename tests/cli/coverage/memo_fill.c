/*
 * memo_fill.c - fills a memo database as a script on standard input says, for the tests of the
 * commands that show it.
 *
 *     enter PROGRAM CAMPAIGN INPUT COMMAND...
 *     access FILE:LINE own|library TEXT...     where the access of this text is
 *     run NUMBER STRATEGY BEGAN OUTCOME...     a run; what follows belongs to it, up to `end`
 *     + IROOT...                               it has exposed this
 *     ! KIND SCHEDULE MESSAGE...               it has failed
 *     end
 *     predict profile|proof VERDICT IROOT...
 *     try NUMBER BEGAN exposed|vain            claims the next candidate, and records the attempt
 *     claim                                    claims the next one, and keeps it to the end
 */
#include "base/vec.h"
#include "memo/memo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fw_memo *memo;
static struct fw_strtab accesses, kept;
static FW_VEC(const char *) places;
static FW_VEC(bool) library;
static FW_VEC(struct fw_iroot) exposed;
static struct fw_memo_claims claims;
static struct fw_memo_run run;
static struct fw_memo_failure failure;
static struct fw_error err;

/* Runs speak of texts that outlive their lines. */
static const char *keep(const char *text)
{
    return fw_strtab_text(&kept, fw_strtab_intern(&kept, text, strlen(text)));
}

static _Noreturn void give_up(const char *line)
{
    fprintf(stderr, "memo_fill: %s: %s\n", line, err.message);
    exit(1);
}

/* The next word of the line; the last one takes the rest. */
static char *word(char **line, bool last)
{
    char *begin = *line;

    *line += last ? strlen(begin) : strcspn(begin, " ");
    if (**line)
        *(*line)++ = '\0';
    return begin;
}

static struct fw_memo_names names(void)
{
    static FW_VEC(bool) own;

    fw_vec_extend(&places, fw_strtab_count(&accesses) + 1);
    fw_vec_extend(&library, fw_strtab_count(&accesses) + 1);
    fw_vec_extend(&own, fw_strtab_count(&accesses) + 1);
    for (size_t i = 0; i < own.len; i++)
        own.at[i] = !library.at[i];
    return (struct fw_memo_names) { &accesses, places.at, own.at };
}

static struct fw_iroot parse(char *text)
{
    struct fw_iroot iroot;

    if (fw_iroot_parse(&iroot, text, &accesses, &err) < 0)
        give_up(text);
    return iroot;
}

static int which(const char *const *list, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return i;
    fw_error_set(&err, "what is that?");
    give_up(name);
}

static void record(void)
{
    struct fw_memo_names known = names();

    run.exposed = exposed.at;
    run.exposed_count = exposed.len;
    if (fw_memo_record(memo, &known, &run, NULL, &err) < 0)
        give_up("end");
    fw_vec_clear(&exposed);
}

static void enter(char *rest)
{
    struct fw_memo_who who = { .build = "0123abcd" };

    who.program = word(&rest, false);
    who.campaign = word(&rest, false);
    who.input = word(&rest, false);
    who.command = word(&rest, true);
    if (fw_memo_enter(memo, &who, &err) < 0)
        give_up("enter");
}

static void place(char *rest)
{
    char *where = word(&rest, false), *own = word(&rest, false);
    uint32_t number = fw_strtab_intern(&accesses, rest, strlen(rest));

    names();
    places.at[number] = keep(where);
    library.at[number] = strcmp(own, "library") == 0;
}

static void predict(char *rest)
{
    struct fw_memo_prediction said = { 0 };
    struct fw_memo_names known;

    said.by = (enum fw_memo_predictor)which(fw_memo_predictors, FW_MEMO_PREDICTORS,
                                            word(&rest, false));
    said.verdict = (enum fw_memo_verdict)which(fw_memo_verdicts, FW_MEMO_VERDICTS,
                                               word(&rest, false));
    said.iroot = parse(rest);
    known = names();
    if (fw_memo_predict(memo, &known, &said, 1, NULL, &err) < 0)
        give_up("predict");
}

static void claim(void)
{
    const struct fw_memo_wish wish = { .count = 1, .lease = 100 };

    if (fw_memo_claim(memo, &wish, &accesses, &claims, NULL, &err) < 0)
        give_up("claim");
}

static void attempt(char *rest)
{
    claim();
    if (!claims.len) {
        fw_error_set(&err, "there is no candidate");
        give_up("try");
    }
    run = (struct fw_memo_run) { .number = strtoull(word(&rest, false), NULL, 10),
                                 .strategy = "iroot", .outcome = "exit 0",
                                 .began = strtoll(word(&rest, false), NULL, 10),
                                 .claim = &fw_vec_last(&claims) };
    if (strcmp(rest, "exposed") == 0)
        fw_vec_push(&exposed, run.claim->iroot);
    record();
    fw_memo_claim_release(&fw_vec_pop(&claims));
}

static void begin_run(char *rest)
{
    run = (struct fw_memo_run) { .number = strtoull(word(&rest, false), NULL, 10), .took = 20 };
    run.strategy = keep(word(&rest, false));
    run.began = strtoll(word(&rest, false), NULL, 10);
    run.outcome = keep(rest);
}

static void fail(char *rest)
{
    failure.kind = keep(word(&rest, false));
    failure.schedule = keep(word(&rest, false));
    failure.message = keep(rest);
    run.failure = &failure;
}

static void obey(char *line)
{
    char *verb = word(&line, false);

    if (strcmp(verb, "enter") == 0)
        enter(line);
    else if (strcmp(verb, "access") == 0)
        place(line);
    else if (strcmp(verb, "run") == 0)
        begin_run(line);
    else if (strcmp(verb, "+") == 0)
        fw_vec_push(&exposed, parse(line));
    else if (strcmp(verb, "!") == 0)
        fail(line);
    else if (strcmp(verb, "end") == 0)
        record();
    else if (strcmp(verb, "predict") == 0)
        predict(line);
    else if (strcmp(verb, "try") == 0)
        attempt(line);
    else if (strcmp(verb, "claim") == 0)
        claim();
    else if (*verb && *verb != '#')
        give_up(verb);
}

int main(int argc, char **argv)
{
    static char line[65536];

    if (argc != 2) {
        fprintf(stderr, "usage: memo_fill DATABASE <SCRIPT\n");
        return 2;
    }
    if (fw_memo_open(&memo, argv[1], FW_MEMO_WRITE, 0, &err) < 0)
        give_up(argv[1]);
    fw_strtab_init(&accesses);
    fw_strtab_init(&kept);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        obey(line + strspn(line, " "));
    }
    fw_memo_close(memo);
    return 0;
}
