/*
 * tiddle_decoder.c - reads Tiddle: one operation a line, OP THREAD OPERANDS.
 *
 *     rd 1 x 0                      thread T1 reads 0 from x
 *     ast 2 flag 1 ord=rel @f.c:7   attributes and a site may follow the operands
 *     sync 1 l                      short for acq 1 l, rd 1 lVar, wr 1 lVar, rel 1 l
 *
 * The language of Sadowski's dissertation (Dynamic Prediction of Concurrency
 * Errors, part VII), with every kind of event under its own name.  Threads are
 * numbers: thread 1 is T1.  Words are separated by blanks; a word that begins
 * with '#' starts a comment; a site goes on to the end of the line.
 */
#include "base/alloc.h"
#include "base/suggest.h"
#include "trace/text_attrs.h"
#include "trace/text_decoder.h"

#include <stdlib.h>

#define SYNC_SUFFIX       "Var"
#define SYNC_SUFFIX_BYTES (sizeof SYNC_SUFFIX - 1)
#define SYNC              FW_RAW_KIND_COUNT /* a kind of line, not of event */
#define THREAD_DIGITS_MAX 30u

struct tiddle_decoder {
    struct fw_text_decoder text;
};

struct word {
    const char *from, *to;
};

/* What is left of a line. */
struct rest {
    const char *at, *end;
};

/* A line taken apart. */
struct tiddle_line {
    struct word op, thread, operand, site;
    unsigned kind; /* enum fw_kind or SYNC */
    unsigned order;
    struct fw_attr attr;
};

static size_t word_len(struct word w)
{
    return (size_t)(w.to - w.from);
}

static bool word_is(struct word w, const char *text)
{
    size_t len = strlen(text);

    return word_len(w) == len && memcmp(w.from, text, len) == 0;
}

static const char *quote(char to[FW_TEXT_QUOTE], struct word w)
{
    return fw_text_quote(to, w.from, word_len(w));
}

/* The next word, left where it is; empty at the end of the line and at a comment. */
static struct word peek_word(struct rest *rest)
{
    struct word word;

    while (rest->at < rest->end && fw_text_is_blank(*rest->at))
        rest->at++;
    if (rest->at < rest->end && *rest->at == '#')
        rest->at = rest->end;
    word = (struct word) { rest->at, rest->at };
    while (word.to < rest->end && !fw_text_is_blank(*word.to))
        word.to++;
    return word;
}

static struct word take_word(struct rest *rest)
{
    struct word word = peek_word(rest);

    rest->at = word.to;
    return word;
}

static bool all_digits(struct word w)
{
    for (const char *c = w.from; c < w.to; c++)
        if (*c < '0' || *c > '9')
            return false;
    return word_len(w) > 0;
}

static bool looks_like_number(struct word w)
{
    if (word_len(w) > 1 && (*w.from == '-' || *w.from == '+'))
        w.from++;
    return all_digits(w);
}

/* What an operand names, for messages. */
static const char *const space_words[FW_SPACE_COUNT] = {
    [FW_SPACE_THREAD] = "thread",       [FW_SPACE_VARIABLE] = "variable",
    [FW_SPACE_LOCK] = "lock",           [FW_SPACE_CONDITION] = "condition",
    [FW_SPACE_SEMAPHORE] = "semaphore", [FW_SPACE_BARRIER] = "barrier",
    [FW_SPACE_BLOCK] = "label",         [FW_SPACE_FUNCTION] = "function",
    [FW_SPACE_SITE] = "site",
};

static enum fw_space space_of(unsigned kind)
{
    return kind == SYNC ? FW_SPACE_LOCK : fw_kind_info[kind].space;
}

/* Tiddle's names, and STD's where they differ. */
static int find_kind(struct word op, unsigned *kind)
{
    for (unsigned k = 0; k < FW_KIND_COUNT; k++) {
        if (word_is(op, fw_kind_info[k].tiddle_name) || word_is(op, fw_kind_info[k].std_name)) {
            *kind = k;
            return 0;
        }
    }
    *kind = SYNC;
    return word_is(op, "sync") ? 0 : -1;
}

/* What people write for some operations. */
static const struct {
    const char *word, *meant;
} guesses[] = {
    { "read", "rd" },
    { "write", "wr" },
    { "acquire", "acq" },
    { "lock", "acq" },
    { "release", "rel" },
    { "unlock", "rel" },
    { "load", "ald" },
    { "store", "ast" },
    { "signal", "notify" },
    { "wait", "wake" },
    { "branch", "br" },
    { "return", "ret" },
    { "spawn", "fork" },
    { "malloc", "alloc" },
    { "enter", "call" },
    { "synchronized", "sync" },
    { "broadcast", "notifyall" },
};

static int unknown_operation(struct word op, struct fw_error *err)
{
    char quoted[FW_TEXT_QUOTE];
    struct fw_suggestion near = { .word = quote(quoted, op) };
    const char *best;

    for (unsigned k = 0; k < FW_KIND_COUNT; k++)
        fw_suggest(&near, fw_kind_info[k].tiddle_name);
    fw_suggest(&near, "sync");
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
        fw_suggest(&near, guesses[i].word);
    best = near.best;
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
        if (best == guesses[i].word)
            best = guesses[i].meant;
    if (best)
        return fw_error_set(err, "unknown operation '%s'; did you mean '%s'?", quoted, best);
    return fw_error_set(err, "unknown operation '%s'", quoted);
}

static int missing_operand(const struct tiddle_line *line, struct fw_error *err)
{
    enum fw_space space = space_of(line->kind);
    char quoted[FW_TEXT_QUOTE];
    const char *op = quote(quoted, line->op);

    if (space == FW_SPACE_THREAD)
        return fw_error_set(err, "'%s' needs two threads", op);
    if (space == FW_SPACE_NONE || space == FW_SPACE_BLOCK)
        return fw_error_set(err, "'%s' needs a thread", op);
    return fw_error_set(err, "'%s' needs a thread and a %s", op, space_words[space]);
}

static int check_thread(struct word thread, struct fw_error *err)
{
    char quoted[FW_TEXT_QUOTE];

    if (!all_digits(thread))
        return fw_error_set(err, "a thread is a number, not '%s'", quote(quoted, thread));
    if (word_len(thread) > THREAD_DIGITS_MAX)
        return fw_error_set(err, "thread number '%s' is too long", quote(quoted, thread));
    return 0;
}

/* The thread and the operand that the operation needs. */
static int take_operands(struct rest *rest, struct tiddle_line *line, struct fw_error *err)
{
    enum fw_space space = space_of(line->kind);

    line->thread = take_word(rest);
    if (word_len(line->thread) == 0)
        return missing_operand(line, err);
    if (check_thread(line->thread, err) < 0)
        return -1;
    line->operand = peek_word(rest);
    if (space == FW_SPACE_BLOCK && word_len(line->operand) && *line->operand.from == '@')
        line->operand.to = line->operand.from; /* an unnamed block with a site */
    if (space == FW_SPACE_NONE)
        line->operand.to = line->operand.from;
    rest->at = line->operand.to;
    if (word_len(line->operand) == 0)
        return space == FW_SPACE_NONE || space == FW_SPACE_BLOCK ? 0 : missing_operand(line, err);
    if (space == FW_SPACE_THREAD)
        return check_thread(line->operand, err);
    return fw_text_check_name(line->operand.from, word_len(line->operand), space_words[space], err);
}

static bool takes_value(unsigned kind)
{
    return kind != SYNC && fw_is_class(kind, FW_CLASS_READ | FW_CLASS_WRITE);
}

static int take_value(struct rest *rest, struct tiddle_line *line, struct fw_error *err)
{
    struct word value = peek_word(rest);
    char op[FW_TEXT_QUOTE], quoted[FW_TEXT_QUOTE];

    if (!looks_like_number(value))
        return 0;
    if (!takes_value(line->kind))
        return fw_error_set(err, "'%s' takes no value, but has '%s'", quote(op, line->op),
                            quote(quoted, value));
    if (fw_text_parse_i64(value.from, word_len(value), &line->attr.value) < 0)
        return fw_error_set(err, "value '%s' does not fit into 64 bits", quote(quoted, value));
    line->attr.has |= FW_ATTR_VALUE;
    rest->at = value.to;
    return 0;
}

/* val= is the same as the value operand; saying it twice is fine if both say the same. */
static int merge_attrs(struct tiddle_line *line, const struct fw_attr *attr, struct fw_error *err)
{
    if (line->attr.has & attr->has & FW_ATTR_VALUE && line->attr.value != attr->value)
        return fw_error_set(err, "two values, %lld and %lld", (long long)line->attr.value,
                            (long long)attr->value);
    line->attr.rf = attr->rf;
    line->attr.size = attr->size;
    if (attr->has & FW_ATTR_VALUE)
        line->attr.value = attr->value;
    line->attr.has |= attr->has;
    return 0;
}

static int take_attrs(struct rest *rest, struct tiddle_line *line, struct fw_error *err)
{
    struct word list = peek_word(rest);
    struct fw_attr attr = { 0 };
    char quoted[FW_TEXT_QUOTE];

    if (!word_len(list) || *list.from == '@' || !memchr(list.from, '=', word_len(list)))
        return 0;
    rest->at = list.to;
    if (line->kind == SYNC)
        return fw_error_set(err, "'sync' takes no attribute, but has '%s'", quote(quoted, list));
    if (fw_text_parse_attrs(list.from, word_len(list), line->kind, quote(quoted, line->op), &attr,
                            &line->order, err) < 0)
        return -1;
    return merge_attrs(line, &attr, err);
}

/* @SITE: the rest of the line up to a comment, blanks inside included. */
static int take_site(struct rest *rest, struct tiddle_line *line, struct fw_error *err)
{
    struct word site = peek_word(rest);

    if (!word_len(site) || *site.from != '@')
        return 0;
    site.from++;
    for (site.to = site.from; site.to < rest->end; site.to++)
        if (*site.to == '#' && fw_text_is_blank(site.to[-1]))
            break;
    rest->at = rest->end;
    fw_text_trim(&site.from, &site.to);
    if (!word_len(site))
        return fw_error_set(err, "'@' without a site");
    line->site = site;
    return fw_text_check_name(site.from, word_len(site), "site", err);
}

/* Something is left that is no value, attribute or site. */
static int unexpected_word(struct rest *rest, const struct tiddle_line *line, struct fw_error *err)
{
    struct word word = take_word(rest);
    char quoted[FW_TEXT_QUOTE], op[FW_TEXT_QUOTE];

    quote(quoted, word);
    quote(op, line->op);
    if (*word.from == '@' || memchr(word.from, '=', word_len(word)) || looks_like_number(word))
        return fw_error_set(err,
                            "'%s' is out of place: '%s' takes its operands, then attributes, "
                            "then a site",
                            quoted, op);
    if (takes_value(line->kind) && !(line->attr.has & FW_ATTR_VALUE))
        return fw_error_set(err, "value '%s' is not a number", quoted);
    return fw_error_set(err, "unexpected '%s' behind '%s'", quoted, op);
}

static int parse_line(const char *text, size_t len, struct tiddle_line *line, struct fw_error *err)
{
    struct rest rest = { text, text + len };

    line->op = take_word(&rest);
    if (find_kind(line->op, &line->kind) < 0)
        return unknown_operation(line->op, err);
    if (take_operands(&rest, line, err) < 0 || take_value(&rest, line, err) < 0 ||
        take_attrs(&rest, line, err) < 0 || take_site(&rest, line, err) < 0)
        return -1;
    if (word_len(peek_word(&rest)))
        return unexpected_word(&rest, line, err);
    return 0;
}

/* The event without its target. */
static int begin_event(struct fw_text_decoder *text, const struct tiddle_line *line,
                       struct fw_event *event, struct fw_error *err)
{
    uint32_t thread;

    if (fw_text_intern_thread(text, line->thread.from, word_len(line->thread), &thread, err) < 0)
        return -1;
    *event = (struct fw_event) { .thread = thread, .order = line->order };
    return 0;
}

/* After the target: ids are given in the order in which names stand on the line. */
static void intern_site(struct fw_text_decoder *text, const struct tiddle_line *line,
                        struct fw_event *event)
{
    struct fw_strtab *sites = &text->symbols->table[FW_SPACE_SITE];

    if (word_len(line->site))
        event->site = fw_strtab_intern(sites, line->site.from, word_len(line->site));
}

/* acq l, rd lVar, wr lVar, rel l */
static int add_sync(struct fw_text_decoder *text, const struct tiddle_line *line,
                    struct fw_error *err)
{
    static const enum fw_kind kinds[] = { FW_ACQUIRE, FW_READ, FW_WRITE, FW_RELEASE };
    char variable[FW_TEXT_NAME_MAX];
    size_t len = word_len(line->operand);
    struct fw_event event;
    uint32_t lock, own;

    if (len > sizeof variable - SYNC_SUFFIX_BYTES)
        return fw_error_set(err, "lock name is too long for 'sync'");
    memcpy(variable, line->operand.from, len);
    memcpy(variable + len, SYNC_SUFFIX, SYNC_SUFFIX_BYTES);
    if (begin_event(text, line, &event, err) < 0)
        return -1;
    lock = fw_strtab_intern(&text->symbols->table[FW_SPACE_LOCK], line->operand.from, len);
    own = fw_strtab_intern(&text->symbols->table[FW_SPACE_VARIABLE], variable,
                           len + SYNC_SUFFIX_BYTES);
    intern_site(text, line, &event);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        event.kind = kinds[i];
        event.target = fw_kind_info[kinds[i]].space == FW_SPACE_LOCK ? lock : own;
        fw_text_add(text, event, NULL);
    }
    return 0;
}

static int add_event(struct fw_text_decoder *text, const struct tiddle_line *line,
                     struct fw_error *err)
{
    struct fw_event event;
    uint32_t target = 0;

    if (begin_event(text, line, &event, err) < 0)
        return -1;
    if (word_len(line->operand) && fw_text_intern_target(text, line->kind, line->operand.from,
                                                         word_len(line->operand), &target, err) < 0)
        return -1;
    intern_site(text, line, &event);
    event.kind = line->kind;
    event.target = target;
    fw_text_add(text, event, &line->attr);
    return 0;
}

static int read_line(struct fw_text_decoder *text, const char *chars, size_t len,
                     struct fw_error *err)
{
    struct tiddle_line line = { 0 };

    if (parse_line(chars, len, &line, err) < 0)
        return -1;
    if (line.kind == SYNC)
        return add_sync(text, &line, err);
    if (line.kind == FW_BRANCH && fw_text_allow_branch(text, err) < 0)
        return -1;
    return add_event(text, &line, err);
}

static bool has_branch(const char *lines, size_t size)
{
    const char *end = lines + size;

    while (lines < end) {
        const char *newline = memchr(lines, '\n', (size_t)(end - lines));
        struct rest rest = { lines, newline };

        if (word_is(peek_word(&rest), fw_kind_info[FW_BRANCH].tiddle_name))
            return true;
        lines = newline + 1;
    }
    return false;
}

static const struct fw_text_syntax tiddle_syntax = {
    .read_line = read_line,
    .has_branch = has_branch,
};

static struct fw_decoder *tiddle_create(const struct fw_decoder_setup *setup)
{
    struct tiddle_decoder *decoder = fw_xmalloc(sizeof *decoder);

    fw_text_decoder_init(&decoder->text, &fw_format_tiddle, &tiddle_syntax, setup);
    return &decoder->text.base;
}

static void tiddle_destroy(struct fw_decoder *base)
{
    struct tiddle_decoder *decoder = (struct tiddle_decoder *)base;

    fw_text_decoder_release(&decoder->text);
    free(decoder);
}

const struct fw_format fw_format_tiddle = {
    .name = "tid",
    .extension = ".tid",
    .create = tiddle_create,
    .destroy = tiddle_destroy,
    .next = fw_text_decoder_next,
    .branches = fw_text_decoder_branches,
    .locate = fw_text_decoder_locate,
};
