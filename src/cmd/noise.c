/* noise.c - see noise.h. */
#include "cmd/noise.h"

#include "base/options.h"

#include <stdlib.h>
#include <string.h>

#define MOST_MICROS 10000000u

static const struct {
    const char *word;
    enum fw_noise_kind kind;
} kinds[] = {
    { "random", FW_NOISE_RANDOM },
    { "var", FW_NOISE_VARIABLE },
    { "site", FW_NOISE_SITE },
    { "finding", FW_NOISE_FINDING },
};

void fw_noise_release(struct fw_noise_wish *wish)
{
    for (size_t i = 0; i < wish->names.len; i++)
        free(wish->names.at[i]);
    fw_vec_release(&wish->names);
}

/* --- numbers at the end ---------------------------------------------------------------------- */

/* The number behind the last colon, which is cut off; false: there is none. */
static bool take_number(char *text, uint64_t *number)
{
    char *colon = strrchr(text, ':');

    if (!colon || !colon[1] || fw_parse_count(colon + 1, number) < 0)
        return false;
    *colon = '\0';
    return true;
}

static int set_numbers(struct fw_noise_wish *wish, const uint64_t *numbers, unsigned count,
                       struct fw_error *err)
{
    wish->strength = numbers[0];
    wish->micros = count > 1 ? numbers[1] : FW_NOISE_MICROS;
    if (wish->strength > 1000)
        return fw_error_set(err, "a strength is per mille, 0 to 1000");
    if (wish->micros > MOST_MICROS)
        return fw_error_set(err, "more than %u microseconds is too long", MOST_MICROS);
    return 0;
}

/* STRENGTH or STRENGTH:USEC behind `kept` numbers that belong to what is before. */
static int take_numbers(struct fw_noise_wish *wish, char *text, unsigned kept, struct fw_error *err)
{
    char *copy = fw_xstrdup(text);
    uint64_t numbers[4];
    unsigned count = 0;

    while (count < kept + 2 && take_number(copy, &numbers[3 - count]))
        count++;
    free(copy);
    if (count <= kept && wish->kind == FW_NOISE_RANDOM && strchr(text, ':'))
        return fw_error_set(err, "'%s' is no strength (per mille): 'random:50'",
                            strchr(text, ':') + 1);
    if (count <= kept)
        return fw_error_set(err, "the strength is missing (per mille): '%s:50'", text);
    for (unsigned i = kept; i < count; i++)
        *strrchr(text, ':') = '\0';
    return set_numbers(wish, numbers + 4 - count + kept, count - kept, err);
}

/* --- kinds ----------------------------------------------------------------------------------- */

static int take_names(struct fw_noise_wish *wish, char *text, struct fw_error *err)
{
    char *rest = text, *name;

    while ((name = strsep(&rest, ","))) {
        if (!*name)
            return fw_error_set(err, "a name is missing");
        fw_vec_push(&wish->names, fw_xstrdup(name));
    }
    return 0;
}

static int check_sites(const struct fw_noise_wish *wish, struct fw_error *err)
{
    for (size_t i = 0; i < wish->names.len; i++) {
        char *copy = fw_xstrdup(wish->names.at[i]);
        uint64_t line = 0;
        bool good = take_number(copy, &line) && *copy && line && line <= INT32_MAX;

        free(copy);
        if (!good)
            return fw_error_set(err, "'%s' is not FILE:LINE", wish->names.at[i]);
    }
    return 0;
}

/* RESULT:ID[:STRENGTH[:USEC]]: from the left, since an id may be all digits. */
static int take_finding(struct fw_noise_wish *wish, char *text, struct fw_error *err)
{
    uint64_t numbers[2] = { FW_NOISE_STRENGTH, FW_NOISE_MICROS };
    char *result = strsep(&text, ":"), *id = strsep(&text, ":"), *word;
    unsigned count = 0;

    if (!result || !*result || !id || !*id)
        return fw_error_set(err, "a finding is RESULT.json:ID");
    fw_vec_push(&wish->names, fw_xstrdup(result));
    fw_vec_push(&wish->names, fw_xstrdup(id));
    while ((word = strsep(&text, ":")))
        if (count == 2 || fw_parse_count(word, &numbers[count++]) < 0)
            return fw_error_set(err, "'%s' is no strength or time behind a finding's id", word);
    return set_numbers(wish, numbers, 2, err);
}

static int take_kind(struct fw_noise_wish *wish, char *text, struct fw_error *err)
{
    bool site = wish->kind == FW_NOISE_SITE;

    if (wish->kind == FW_NOISE_FINDING)
        return take_finding(wish, text + strcspn(text, ":") + (strchr(text, ':') != NULL), err);
    if (take_numbers(wish, text, site, err) < 0)
        return -1;
    if (wish->kind == FW_NOISE_RANDOM)
        return strcmp(text, "random") == 0
                   ? 0
                   : fw_error_set(err, "random noise has a strength and a time alone");
    if (!strchr(text, ':'))
        return fw_error_set(err, "a name is missing");
    if (take_names(wish, strchr(text, ':') + 1, err) < 0)
        return -1;
    return site ? check_sites(wish, err) : 0;
}

int fw_noise_wish(struct fw_noise_wish *wish, const char *text, struct fw_error *err)
{
    size_t length = text ? strcspn(text, ":") : 0;
    char *copy;
    int status;

    memset(wish, 0, sizeof *wish);
    if (!text)
        return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].word) == length && strncmp(text, kinds[i].word, length) == 0)
            wish->kind = kinds[i].kind;
    if (!wish->kind)
        return fw_error_set(err, "'%.*s' is no kind of noise: random, var, site or finding",
                            (int)length, text);
    copy = fw_xstrdup(text);
    status = take_kind(wish, copy, err);
    free(copy);
    return status;
}
