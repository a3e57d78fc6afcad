/*
 * options.c - see options.h.  No libc but string.h: this runs before anything else in the program.
 */
#include "runtime/options.h"

#include "runtime/futex.h"

#include <string.h>

#define DEFAULT_QUANTUM 100000u

static void complain(const char *what, const char *text, size_t length)
{
    static const char head[] = "foreweave: FOREWEAVE_OPTIONS: ";

    fw_call(SYS_write, 2, head, sizeof head - 1, 0);
    fw_call(SYS_write, 2, what, strlen(what), 0);
    fw_call(SYS_write, 2, " '", 2, 0);
    fw_call(SYS_write, 2, text, length, 0);
    fw_call(SYS_write, 2, "'\n", 2, 0);
}

static bool parse_number(const char *text, size_t length, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    }
    return length > 0 && length < 20;
}

static bool is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* False: the value is bad. */
static bool set_mode(struct fw_runtime_options *options, const char *value, size_t length)
{
    options->record = is(value, length, "record");
    options->control = is(value, length, "control");
    options->atomrace = is(value, length, "atomrace");
    options->guarded = is(value, length, "guard");
    return options->record || options->control || options->atomrace || options->guarded ||
           is(value, length, "off");
}

static bool set_text(char *to, size_t room, const char *value, size_t length)
{
    if (length >= room)
        return false;
    memcpy(to, value, length);
    to[length] = '\0';
    return true;
}

static bool set_wire(struct fw_runtime_options *options, const char *value, size_t length)
{
    return set_text(options->wire, sizeof options->wire, value, length);
}

static bool set_control(struct fw_runtime_options *options, const char *value, size_t length)
{
    return set_text(options->file, sizeof options->file, value, length);
}

static bool set_sections(struct fw_runtime_options *options, const char *value, size_t length)
{
    return set_text(options->sections, sizeof options->sections, value, length);
}

static bool set_heal(struct fw_runtime_options *options, const char *value, size_t length)
{
    return set_text(options->heal, sizeof options->heal, value, length);
}

static bool set_guard(struct fw_runtime_options *options, const char *value, size_t length)
{
    return set_text(options->guard, sizeof options->guard, value, length);
}

static bool set_values(struct fw_runtime_options *options, const char *value, size_t length)
{
    options->values = is(value, length, "yes");
    return options->values || is(value, length, "no");
}

static bool set_repeats(struct fw_runtime_options *options, const char *value, size_t length)
{
    options->repeats = is(value, length, "1");
    return options->repeats || is(value, length, "0");
}

static bool set_whole(struct fw_runtime_options *options, const char *value, size_t length)
{
    return parse_number(value, length, &options->whole);
}

static bool set_seed(struct fw_runtime_options *options, const char *value, size_t length)
{
    return parse_number(value, length, &options->seed);
}

static bool set_positions(struct fw_runtime_options *options, const char *value, size_t length)
{
    uint64_t number;

    if (!parse_number(value, length, &number) || number > 1)
        return false;
    options->positions = number;
    return true;
}

static bool set_quantum(struct fw_runtime_options *options, const char *value, size_t length)
{
    uint64_t number;

    if (!parse_number(value, length, &number) || number < 1 || number > 1000000000)
        return false;
    options->quantum = (uint32_t)number;
    return true;
}

static bool set_noise(struct fw_runtime_options *options, const char *value, size_t length)
{
    const char *comma = memchr(value, ',', length);
    uint64_t strength, micros;

    if (!comma || !parse_number(value, (size_t)(comma - value), &strength) ||
        !parse_number(comma + 1, length - (size_t)(comma - value) - 1, &micros) ||
        strength > 1000 || micros > 10000000)
        return false;
    options->strength = (uint32_t)strength;
    options->micros = (uint32_t)micros;
    return true;
}

static bool set_flag(bool *flag, const char *value, size_t length)
{
    *flag = is(value, length, "1");
    return *flag || is(value, length, "0");
}

static bool set_learn(struct fw_runtime_options *options, const char *value, size_t length)
{
    return set_flag(&options->learn, value, length);
}

static bool set_prefer(struct fw_runtime_options *options, const char *value, size_t length)
{
    return set_flag(&options->prefer, value, length);
}

static bool set_strict(struct fw_runtime_options *options, const char *value, size_t length)
{
    return set_flag(&options->strict, value, length);
}

static bool set_targets(struct fw_runtime_options *options, const char *value, size_t length)
{
    options->targets = value;
    options->targets_length = length;
    return true;
}

static const struct {
    const char *key;
    bool (*set)(struct fw_runtime_options *options, const char *value, size_t length);
} keys[] = {
    { "mode", set_mode },           { "wire", set_wire },         { "control", set_control },
    { "positions", set_positions }, { "seed", set_seed },         { "quantum", set_quantum },
    { "values", set_values },       { "repeats", set_repeats },   { "whole", set_whole },
    { "noise", set_noise },         { "learn", set_learn },       { "prefer", set_prefer },
    { "targets", set_targets },     { "sections", set_sections }, { "heal", set_heal },
    { "guard", set_guard },         { "strict", set_strict },
};

static void parse_pair(struct fw_runtime_options *options, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    size_t key = equals ? (size_t)(equals - text) : length;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!is(text, key, keys[i].key))
            continue;
        if (!equals || !keys[i].set(options, equals + 1, length - key - 1))
            complain("bad value in", text, length);
        return;
    }
    complain("unknown key in", text, length);
}

void fw_runtime_options_parse(struct fw_runtime_options *options, const char *text)
{
    memset(options, 0, sizeof *options);
    options->quantum = DEFAULT_QUANTUM;
    while (text && *text) {
        size_t length = strcspn(text, ":");

        if (length)
            parse_pair(options, text, length);
        text += length + (text[length] == ':');
    }
}
