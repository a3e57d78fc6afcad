/* options.c - see options.h. */
#include "base/options.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "base/suggest.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

struct parser {
    const struct fw_option *table;
    char *values;
    struct fw_parsed *parsed;
    struct fw_error *err;
};

static void *field(const struct parser *p, const struct fw_option *option)
{
    return p->values + option->offset;
}

int fw_parse_count(const char *text, uint64_t *value)
{
    uint64_t sum = 0;

    if (!*text)
        return -1;
    for (; *text; text++) {
        unsigned digit = (unsigned char)*text - '0';

        if (digit > 9 || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, digit, &sum))
            return -1;
    }
    *value = sum;
    return 0;
}

int fw_parse_size(const char *text, uint64_t *value)
{
    static const char units[] = "KMGT";
    size_t len = strspn(text, "0123456789");
    const char *unit = text[len] ? strchr(units, text[len] & ~0x20) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    char digits[24];

    if (len >= sizeof digits || (text[len] && !unit))
        return -1;
    if (unit && text[len + 1] && strcmp(text + len + 1, "B") != 0 &&
        strcmp(text + len + 1, "iB") != 0)
        return -1;
    memcpy(digits, text, len);
    digits[len] = '\0';
    if (fw_parse_count(digits, value) < 0 || *value > UINT64_MAX >> shift)
        return -1;
    *value <<= shift;
    return 0;
}

static const struct fw_option *find_long(const struct fw_option *table, const char *name,
                                         size_t len)
{
    for (const struct fw_option *o = table; o->name; o++)
        if (strlen(o->name) == len && memcmp(o->name, name, len) == 0)
            return o;
    return NULL;
}

static const struct fw_option *find_letter(const struct fw_option *table, char letter)
{
    for (const struct fw_option *o = table; o->name; o++)
        if (o->letter == letter)
            return o;
    return NULL;
}

static uint64_t row_bit(const struct parser *p, const struct fw_option *option)
{
    FW_ASSERT(option - p->table < FW_OPTIONS_MAX);
    return (uint64_t)1 << (option - p->table);
}

static void own(struct fw_parsed *parsed, char *text)
{
    parsed->owned = fw_xrealloc(parsed->owned, parsed->owned_len + 1, sizeof *parsed->owned);
    parsed->owned[parsed->owned_len++] = text;
}

/* "text, json or html" into out. */
static void list_choices(const char *const *choices, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; choices[i] && used < size; i++) {
        const char *joint = i == 0 ? "" : choices[i + 1] ? ", " : " or ";

        used += (size_t)snprintf(out + used, size - used, "%s%s", joint, choices[i]);
    }
}

static int bad_choice(const struct parser *p, const struct fw_option *option, const char *word)
{
    struct fw_suggestion near = { .word = word };
    char all[512];

    for (size_t i = 0; option->choices[i]; i++)
        fw_suggest(&near, option->choices[i]);
    if (near.best)
        return fw_error_set(p->err, "option '--%s' cannot be '%s': did you mean '%s'?",
                            option->name, word, near.best);
    list_choices(option->choices, all, sizeof all);
    return fw_error_set(p->err, "option '--%s' cannot be '%s': it is %s", option->name, word, all);
}

static int find_choice(const struct parser *p, const struct fw_option *option, const char *word)
{
    for (int i = 0; option->choices[i]; i++)
        if (strcmp(option->choices[i], word) == 0)
            return i;
    return bad_choice(p, option, word);
}

static int set_list(const struct parser *p, const struct fw_option *option, const char *value)
{
    struct fw_words *words = field(p, option);
    char *copy = fw_xstrdup(value), *rest = copy, *word;

    own(p->parsed, copy);
    while ((word = strsep(&rest, ","))) {
        if (!*word)
            return fw_error_set(p->err, "option '--%s' has an empty word in '%s'", option->name,
                                value);
        if (option->choices && find_choice(p, option, word) < 0)
            return -1;
        fw_vec_push(words, word);
    }
    return 0;
}

static int set_number(const struct parser *p, const struct fw_option *option, const char *value)
{
    if (option->type == FW_OPTION_COUNT && fw_parse_count(value, field(p, option)) < 0)
        return fw_error_set(p->err, "option '--%s' needs a number, not '%s'", option->name, value);
    if (option->type == FW_OPTION_SIZE && fw_parse_size(value, field(p, option)) < 0)
        return fw_error_set(p->err, "option '--%s' needs a size such as 512M or 2G, not '%s'",
                            option->name, value);
    return 0;
}

static int set_value(const struct parser *p, const struct fw_option *option, const char *value)
{
    int choice;

    p->parsed->seen |= row_bit(p, option);
    switch (option->type) {
    case FW_OPTION_TEXT:
    case FW_OPTION_FILE:
    case FW_OPTION_DIR:
        if (!*value)
            return fw_error_set(p->err, "option '--%s' needs a value, not an empty one",
                                option->name);
        *(const char **)field(p, option) = value;
        return 0;
    case FW_OPTION_COUNT:
    case FW_OPTION_SIZE:
        return set_number(p, option, value);
    case FW_OPTION_CHOICE:
        choice = find_choice(p, option, value);
        if (choice >= 0)
            *(int *)field(p, option) = choice;
        return choice < 0 ? -1 : 0;
    case FW_OPTION_LIST:
        return set_list(p, option, value);
    case FW_OPTION_FLAG:
        break;
    }
    FW_BUG("option '%s' takes no value", option->name);
}

static int set_flag(const struct parser *p, const struct fw_option *option, bool value)
{
    p->parsed->seen |= row_bit(p, option);
    *(bool *)field(p, option) = value;
    return 0;
}

static int unknown_long(const struct parser *p, const char *name, size_t len)
{
    char *word = fw_xstrndup(name, len);
    struct fw_suggestion near = { .word = word };

    fw_suggest(&near, "help");
    for (const struct fw_option *o = p->table; o->name; o++)
        fw_suggest(&near, o->name);
    if (near.best)
        fw_error_set(p->err, "unknown option '--%s': did you mean '--%s'?", word, near.best);
    else
        fw_error_set(p->err, "unknown option '--%s'", word);
    free(word);
    return -1;
}

/* --name, --name=value, --no-name; *used counts the arguments taken besides this one. */
static int parse_long(const struct parser *p, const char *text, const char *next, int *used)
{
    size_t len = strcspn(text, "=");
    const char *value = text[len] ? text + len + 1 : NULL;
    const struct fw_option *option = find_long(p->table, text, len);
    bool no = false;

    if (!option && len == 4 && memcmp(text, "help", 4) == 0) {
        if (value)
            return fw_error_set(p->err, "option '--help' takes no value");
        p->parsed->help = FW_HELP_MANUAL;
        return 0;
    }
    if (!option && len > 3 && memcmp(text, "no-", 3) == 0) {
        option = find_long(p->table, text + 3, len - 3);
        no = option && option->type == FW_OPTION_FLAG;
        option = no ? option : NULL;
    }
    if (!option)
        return unknown_long(p, text, len);
    if (option->type == FW_OPTION_FLAG) {
        if (value)
            return fw_error_set(p->err, "option '--%.*s' takes no value", (int)len, text);
        return set_flag(p, option, !no);
    }
    if (!value && !next)
        return fw_error_set(p->err, "option '--%s' needs a value: --%s=%s", option->name,
                            option->name, option->argument);
    *used = !value;
    return set_value(p, option, value ? value : next);
}

/* -a, -ab, -o FILE, -oFILE. */
static int parse_letters(const struct parser *p, const char *text, const char *next, int *used)
{
    for (; *text; text++) {
        const struct fw_option *option = find_letter(p->table, *text);

        if (!option && *text == 'h') {
            p->parsed->help = FW_HELP_SHORT;
            return 0;
        }
        if (!option)
            return fw_error_set(p->err, "unknown option '-%c'", *text);
        if (option->type == FW_OPTION_FLAG) {
            set_flag(p, option, true);
            continue;
        }
        if (!text[1] && !next)
            return fw_error_set(p->err, "option '-%c' needs a value: -%c %s", *text, *text,
                                option->argument);
        *used = !text[1];
        return set_value(p, option, text[1] ? text + 1 : next);
    }
    return 0;
}

static void add_operand(struct fw_parsed *parsed, char *operand)
{
    parsed->operands[parsed->count++] = operand;
    parsed->operands[parsed->count] = NULL;
}

/* Everything from argv[i] on is an operand. */
static void add_rest(struct fw_parsed *parsed, int i, int argc, char **argv)
{
    for (; i < argc; i++)
        add_operand(parsed, argv[i]);
}

int fw_options_parse(const struct fw_option *table, void *values, int argc, char **argv,
                     unsigned flags, struct fw_parsed *parsed, struct fw_error *err)
{
    struct parser p = { table, values, parsed, err };

    memset(parsed, 0, sizeof *parsed);
    parsed->operands = fw_xcalloc((size_t)argc + 1, sizeof *parsed->operands);
    for (int i = 0; i < argc && !parsed->help; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        int used = 0, result;

        if (strcmp(argv[i], "--") == 0) {
            parsed->ended = true;
            parsed->dashes = parsed->count;
            add_rest(parsed, i + 1, argc, argv);
            return 0;
        }
        if (argv[i][0] != '-' || !argv[i][1]) {
            if (flags & FW_PARSE_STOP_AT_OPERAND) {
                add_rest(parsed, i, argc, argv);
                return 0;
            }
            add_operand(parsed, argv[i]);
            continue;
        }
        result = argv[i][1] == '-' ? parse_long(&p, argv[i] + 2, next, &used)
                                   : parse_letters(&p, argv[i] + 1, next, &used);
        if (result < 0)
            return -1;
        i += used;
    }
    return 0;
}

/* yes, true, on, 1 and their opposites; no value means yes. */
static int parse_truth(const char *text)
{
    static const char *const words[] = { "0", "1", "no", "yes", "false", "true", "off", "on" };

    if (!text)
        return 1;
    for (int i = 0; i < 8; i++)
        if (strcmp(words[i], text) == 0)
            return i & 1;
    return -1;
}

static int set_from_environment(const struct parser *p, const struct fw_option *option,
                                const char *value)
{
    uint64_t before = p->parsed->seen;
    int truth;

    if (option->type == FW_OPTION_FLAG) {
        truth = parse_truth(value);
        if (truth < 0)
            return fw_error_set(p->err, "option '%s' is yes or no, not '%s'", option->name, value);
        set_flag(p, option, truth);
    } else if (!value) {
        return fw_error_set(p->err, "option '%s' needs a value: %s=%s", option->name, option->name,
                            option->argument);
    } else if (set_value(p, option, value) < 0) {
        return -1;
    }
    p->parsed->seen = before; /* a later key of the same name wins */
    return 0;
}

/*
 * Cuts the next key and value off *rest, in place.  Quotes protect colons and
 * are taken away.  NULL if a quote does not end.
 */
static char *next_key(char **rest, char **value)
{
    char *key = *rest, *from = key + strcspn(key, "=:"), *to, quote = 0;

    *value = NULL;
    if (*from == '=') {
        *from++ = '\0';
        *value = from;
    }
    for (to = from; *from && (*from != ':' || quote); from++) {
        if (*from == quote)
            quote = 0;
        else if (!quote && (*from == '"' || *from == '\''))
            quote = *from;
        else
            *to++ = *from;
    }
    *rest = *from ? from + 1 : from;
    *to = '\0';
    return quote ? NULL : key;
}

int fw_options_environment(const struct fw_option *table, void *values, const char *text,
                           void (*unknown)(const char *key), struct fw_parsed *parsed,
                           struct fw_error *err)
{
    struct parser p = { table, values, parsed, err };
    char *rest = fw_xstrdup(text);

    own(parsed, rest);
    while (*rest) {
        const struct fw_option *option;
        char *value, *key = next_key(&rest, &value);

        if (!key)
            return fw_error_set(err, "a quote does not end in '%s'", text);
        if (!*key && !value)
            continue;
        option = find_long(table, key, strlen(key));
        if (!option)
            unknown(key);
        else if (!(parsed->seen & row_bit(&p, option)) &&
                 set_from_environment(&p, option, value) < 0)
            return -1;
    }
    return 0;
}

void fw_options_release(const struct fw_option *table, void *values, struct fw_parsed *parsed)
{
    struct parser p = { table, values, parsed, NULL };

    for (const struct fw_option *o = table; o->name; o++)
        if (o->type == FW_OPTION_LIST)
            fw_vec_release((struct fw_words *)field(&p, o));
    for (size_t i = 0; i < parsed->owned_len; i++)
        free(parsed->owned[i]);
    free(parsed->owned);
    free(parsed->operands);
    memset(parsed, 0, sizeof *parsed);
}

bool fw_options_seen(const struct fw_option *table, const struct fw_parsed *parsed,
                     const char *name)
{
    const struct fw_option *option = find_long(table, name, strlen(name));

    FW_ASSERT(option);
    return parsed->seen >> (option - table) & 1;
}
