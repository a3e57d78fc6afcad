/*
 * std_decoder.c - reads STD text: THREAD|OP(TARGET)|SITE, with attributes as a fourth field.
 *
 * The format of the research tool RAPID, whose files load unchanged, and a few
 * dialects of it:  begin and end without a target, lines without a site, bare
 * thread numbers, req(l), wait(l), and other spellings of some operations.
 * Blanks around fields do not count.  The target is what stands between the
 * first '(' and the last character of the field, which must be ')', so it may
 * contain parentheses.
 */
#include "base/alloc.h"
#include "trace/text_attrs.h"
#include "trace/text_decoder.h"

#include <stdlib.h>

struct std_decoder {
    struct fw_text_decoder text;
};

struct field {
    const char *from, *to;
};

/* A line taken apart; a field that is not there is empty. */
struct std_line {
    struct field thread, op, target, site, attrs;
    bool has_target; /* parentheses, perhaps empty ones */
};

static size_t field_len(struct field f)
{
    return (size_t)(f.to - f.from);
}

static const char *quote(char to[FW_TEXT_QUOTE], struct field f)
{
    return fw_text_quote(to, f.from, field_len(f));
}

static struct field trimmed(const char *from, const char *to)
{
    fw_text_trim(&from, &to);
    return (struct field) { from, to };
}

/* Cuts the line at its separators; -1 if there are too few or too many. */
static int split_fields(const char *line, size_t len, struct std_line *parts, struct fw_error *err)
{
    struct field *fields[] = { &parts->thread, &parts->op, &parts->site, &parts->attrs };
    const char *end = line + len, *from = line;
    char quoted[FW_TEXT_QUOTE];
    size_t n = 0;

    for (;;) {
        const char *bar = memchr(from, '|', (size_t)(end - from));

        *fields[n++] = trimmed(from, bar ? bar : end);
        if (!bar)
            break;
        from = bar + 1;
        if (n == 4)
            return fw_error_set(err, "more than four fields in '%s'",
                                fw_text_quote(quoted, line, len));
    }
    if (n < 2)
        return fw_error_set(err, "'%s' is no event: THREAD|OP(TARGET)|SITE expected",
                            fw_text_quote(quoted, line, len));
    return 0;
}

/* Cuts OP(TARGET) into its parts. */
static int split_target(struct std_line *parts, struct fw_error *err)
{
    struct field all = parts->op;
    const char *open = memchr(all.from, '(', field_len(all));
    char quoted[FW_TEXT_QUOTE];

    parts->has_target = open != NULL;
    if (!open)
        return 0;
    if (all.to[-1] != ')')
        return fw_error_set(err, "missing ')' in '%s'", quote(quoted, all));
    parts->op = trimmed(all.from, open);
    parts->target = trimmed(open + 1, all.to - 1);
    return 0;
}

static bool field_is(struct field f, const char *word)
{
    size_t len = strlen(word);

    return field_len(f) == len && memcmp(f.from, word, len) == 0;
}

/* Spellings beside those of the list of kinds. */
static const struct {
    const char *name;
    enum fw_kind kind;
} dialects[] = {
    { "req", FW_RAW_REQUEST },      { "request", FW_RAW_REQUEST }, { "wait", FW_RAW_WAIT },
    { "notifyAll", FW_NOTIFY_ALL }, { "branch", FW_BRANCH },       { "enter", FW_CALL },
    { "exit", FW_RETURN },
};

static int find_kind(struct field op, enum fw_kind *kind)
{
    for (unsigned k = 0; k < FW_KIND_COUNT; k++) {
        if (field_is(op, fw_kind_info[k].std_name)) {
            *kind = k;
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        if (field_is(op, dialects[i].name)) {
            *kind = dialects[i].kind;
            return 0;
        }
    }
    return -1;
}

/* Does the kind go with this target, or with none? */
static int check_target(enum fw_kind kind, const struct std_line *parts, struct fw_error *err)
{
    enum fw_space space = fw_kind_info[kind].space;
    bool empty = field_len(parts->target) == 0;
    char op[FW_TEXT_QUOTE], target[FW_TEXT_QUOTE];

    if (space == FW_SPACE_NONE && !empty)
        return fw_error_set(err, "'%s' takes no target, but has '%s'", quote(op, parts->op),
                            quote(target, parts->target));
    if (empty && space != FW_SPACE_NONE && space != FW_SPACE_BLOCK)
        return fw_error_set(err, "'%s' needs a target", quote(op, parts->op));
    if (empty)
        return 0;
    return fw_text_check_name(parts->target.from, field_len(parts->target), "target", err);
}

static int check_names(const struct std_line *parts, struct fw_error *err)
{
    if (fw_text_check_name(parts->thread.from, field_len(parts->thread), "thread name", err) < 0)
        return -1;
    if (field_len(parts->site) == 0)
        return 0;
    return fw_text_check_name(parts->site.from, field_len(parts->site), "site", err);
}

/* Gives names their ids, in the order in which they stand on the line. */
static int intern_names(struct fw_text_decoder *text, const struct std_line *parts,
                        struct fw_event *event, struct fw_error *err)
{
    struct fw_strtab *sites = &text->symbols->table[FW_SPACE_SITE];
    uint32_t thread;

    if (fw_text_intern_thread(text, parts->thread.from, field_len(parts->thread), &thread, err) < 0)
        return -1;
    event->thread = thread;
    if (field_len(parts->target) &&
        fw_text_intern_target(text, event->kind, parts->target.from, field_len(parts->target),
                              &event->target, err) < 0)
        return -1;
    if (field_len(parts->site))
        event->site = fw_strtab_intern(sites, parts->site.from, field_len(parts->site));
    return 0;
}

static int read_line(struct fw_text_decoder *text, const char *line, size_t len,
                     struct fw_error *err)
{
    struct std_line parts = { 0 };
    struct fw_event event = { 0 };
    struct fw_attr attr = { 0 };
    char quoted[FW_TEXT_QUOTE];
    enum fw_kind kind;
    unsigned order = 0;

    if (split_fields(line, len, &parts, err) < 0 || split_target(&parts, err) < 0)
        return -1;
    if (find_kind(parts.op, &kind) < 0)
        return fw_error_set(err, "unknown operation '%s'", quote(quoted, parts.op));
    if (check_target(kind, &parts, err) < 0 || check_names(&parts, err) < 0)
        return -1;
    if (fw_text_parse_attrs(parts.attrs.from, field_len(parts.attrs), kind,
                            quote(quoted, parts.op), &attr, &order, err) < 0)
        return -1;
    if (kind == FW_BRANCH && fw_text_allow_branch(text, err) < 0)
        return -1;
    event.kind = kind;
    event.order = order;
    if (intern_names(text, &parts, &event, err) < 0)
        return -1;
    fw_text_add(text, event, &attr);
    return 0;
}

/* Looks for a line whose second field is a branch; "br" is rare elsewhere. */
static bool line_is_branch(const char *line, size_t len)
{
    struct std_line parts = { 0 };
    struct fw_error ignored;
    enum fw_kind kind;

    return !fw_text_is_void(line, len) && split_fields(line, len, &parts, &ignored) == 0 &&
           split_target(&parts, &ignored) == 0 && find_kind(parts.op, &kind) == 0 &&
           kind == FW_BRANCH;
}

static bool has_branch(const char *lines, size_t size)
{
    const char *end = lines + size, *hit;

    while ((hit = memmem(lines, (size_t)(end - lines), "br", 2))) {
        const char *before = memrchr(lines, '\n', (size_t)(hit - lines));
        const char *line = before ? before + 1 : lines;
        const char *newline = memchr(hit, '\n', (size_t)(end - hit));

        if (line_is_branch(line, (size_t)(newline - line)))
            return true;
        lines = newline + 1;
    }
    return false;
}

static const struct fw_text_syntax std_syntax = {
    .read_line = read_line,
    .has_branch = has_branch,
};

static struct fw_decoder *std_create(const struct fw_decoder_setup *setup)
{
    struct std_decoder *decoder = fw_xmalloc(sizeof *decoder);

    fw_text_decoder_init(&decoder->text, &fw_format_std, &std_syntax, setup);
    return &decoder->text.base;
}

static void std_destroy(struct fw_decoder *base)
{
    struct std_decoder *decoder = (struct std_decoder *)base;

    fw_text_decoder_release(&decoder->text);
    free(decoder);
}

const struct fw_format fw_format_std = {
    .name = "std",
    .extension = ".std",
    .create = std_create,
    .destroy = std_destroy,
    .next = fw_text_decoder_next,
    .branches = fw_text_decoder_branches,
    .locate = fw_text_decoder_locate,
};
