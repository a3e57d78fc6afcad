/*
 * std_line.c - reads a line of STD: THREAD|OP(TARGET)|SITE, with attributes as a fourth field.
 *
 * The format of the research tool RAPID, whose files load unchanged, and a few
 * dialects of it:  begin and end without a target, lines without a site, bare
 * thread numbers, req(l), wait(l), and other spellings of some operations.
 * Blanks around fields do not count.  The target is what stands between the
 * first '(' and the last character of the field, which must be ')', so it may
 * contain parentheses.
 */
#include "trace/std_decoder.h"
#include "trace/text_attrs.h"

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

/* Does the operation go with this target, or with none? */
static int check_target(const struct fw_std_op *op, const struct std_line *parts,
                        struct fw_error *err)
{
    bool empty = field_len(parts->target) == 0;
    char name[FW_TEXT_QUOTE], target[FW_TEXT_QUOTE];

    if (op->space == FW_SPACE_NONE && !empty)
        return fw_error_set(err, "'%s' takes no target, but has '%s'", quote(name, parts->op),
                            quote(target, parts->target));
    if (empty && !op->bare)
        return fw_error_set(err, "'%s' needs a target", quote(name, parts->op));
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
static int intern_names(struct fw_std_decoder *std, const struct std_line *parts,
                        enum fw_space space, struct fw_event *event, struct fw_error *err)
{
    struct fw_strtab *sites = &std->text.symbols->table[FW_SPACE_SITE];
    struct field thread = parts->thread, target = parts->target, site = parts->site;
    uint32_t id;

    if (fw_text_intern_thread(&std->text, thread.from, field_len(thread), &id, err) < 0)
        return -1;
    event->thread = id;
    fw_std_teach(std, FW_SPACE_THREAD, false, thread.from, field_len(thread), id);
    if (field_len(target)) {
        if (fw_text_intern_target(&std->text, event->kind, target.from, field_len(target), &id,
                                  err) < 0)
            return -1;
        event->target = id;
        fw_std_teach(std, space, true, target.from, field_len(target), id);
    }
    if (field_len(site)) {
        event->site = fw_strtab_intern(sites, site.from, field_len(site));
        fw_std_teach(std, FW_SPACE_SITE, false, site.from, field_len(site), event->site);
    }
    return 0;
}

int fw_std_read_line(struct fw_text_decoder *text, const char *line, size_t len,
                     struct fw_error *err)
{
    struct fw_std_decoder *std = (struct fw_std_decoder *)text;
    struct std_line parts = { 0 };
    struct fw_event event = { 0 };
    struct fw_attr attr = { 0 };
    char quoted[FW_TEXT_QUOTE];
    const struct fw_std_op *op;
    unsigned order = 0;

    if (split_fields(line, len, &parts, err) < 0 || split_target(&parts, err) < 0)
        return -1;
    op = fw_std_ops_find(&std->ops, parts.op.from, field_len(parts.op));
    if (!op)
        return fw_error_set(err, "unknown operation '%s'", quote(quoted, parts.op));
    if (check_target(op, &parts, err) < 0 || check_names(&parts, err) < 0)
        return -1;
    if (field_len(parts.attrs) &&
        fw_text_parse_attrs(parts.attrs.from, field_len(parts.attrs), op->kind,
                            fw_kind_info[op->kind].std_name, &attr, &order, err) < 0)
        return -1;
    if (op->kind == FW_BRANCH && fw_text_allow_branch(text, err) < 0)
        return -1;
    event.kind = op->kind;
    event.order = order;
    if (intern_names(std, &parts, op->space, &event, err) < 0)
        return -1;
    fw_text_add(text, event, &attr);
    return 0;
}
