/* show_page.c - see show_page.h. */
#include "cmd/show_page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define PAGE_ROWS    4096u
#define COLUMNS_MAX  32u /* threads; with more, and no screen to fit, plain is easier to read */
#define COLUMN_MIN   8u
#define SITE_RESERVE 24u
#define GAP          2u

void fw_show_page_init(struct fw_show_page *page, struct fw_output *out,
                       const struct fw_symbols *symbols, const struct fw_show_style *style)
{
    *page = (struct fw_show_page) { .out = out,
                                    .symbols = symbols,
                                    .style = *style,
                                    .index_width = 5,
                                    .thread_width = 6,
                                    .op_width = 2 };
}

void fw_show_page_release(struct fw_show_page *page)
{
    fw_vec_release(&page->rows);
    fw_vec_release(&page->text);
    fw_vec_release(&page->name);
    fw_vec_release(&page->width);
}

/* Appends text; what could disturb a terminal becomes '?'. */
static void put(struct fw_text *to, const char *text)
{
    for (; *text; text++)
        fw_vec_push(to, (unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
}

static void putf(struct fw_text *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void putf(struct fw_text *to, const char *fmt, ...)
{
    char text[64];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    put(to, text);
}

/* Characters of UTF-8 text, all taken as one column wide. */
static unsigned columns_of(const char *text)
{
    unsigned count = 0;

    for (; *text; text++)
        count += (*text & 0xc0) != 0x80;
    return count;
}

static unsigned max(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* "w(x)=1", "ald(y) acq", "pend(s) rf=12": the operation and what few events carry. */
static void put_operation(struct fw_show_page *page, const struct fw_event *event,
                          const struct fw_attr *attr)
{
    const struct fw_kind_info *kind = &fw_kind_info[event->kind];

    put(&page->text, kind->std_name);
    if (kind->space != FW_SPACE_NONE) {
        const char *name = fw_symbols_name(page->symbols, kind->space, event->target);

        if (*name) {
            put(&page->text, "(");
            put(&page->text, name);
            put(&page->text, ")");
        }
    }
    if (attr->has & FW_ATTR_VALUE)
        putf(&page->text, "=%" PRId64, attr->value);
    if (event->order)
        putf(&page->text, " %s", fw_order_names[event->order]);
    if (attr->has & FW_ATTR_SIZE)
        putf(&page->text, " size=%" PRIu32, attr->size);
    if (attr->has & FW_ATTR_RF)
        putf(&page->text, " rf=%" PRIu64, attr->rf);
}

static const char *op_of(const struct fw_show_page *page, const struct fw_show_row *row)
{
    return page->text.at + row->op;
}

static const char *site_of(const struct fw_show_page *page, const struct fw_show_row *row)
{
    return page->text.at + row->site;
}

void fw_show_page_add(struct fw_show_page *page, const struct fw_event *event,
                      const struct fw_attr *attr, uint64_t index)
{
    struct fw_show_row row = { .index = index, .thread = event->thread, .kind = event->kind };

    if (page->rows.len == PAGE_ROWS)
        fw_show_page_flush(page);
    row.op = page->text.len;
    put_operation(page, event, attr);
    fw_vec_push(&page->text, '\0');
    row.site = page->text.len;
    put(&page->text, fw_symbols_name(page->symbols, FW_SPACE_SITE, event->site));
    fw_vec_push(&page->text, '\0');
    fw_vec_push(&page->rows, row);
}

/* The thread's name, fit for a terminal; good until the next call. */
static const char *name_of(struct fw_show_page *page, uint32_t thread)
{
    fw_vec_clear(&page->name);
    put(&page->name, fw_thread_name(page->symbols, thread));
    fw_vec_push(&page->name, '\0');
    return page->name.at;
}

/* Widens what the row needs wider; true if the layout changed. */
static bool widen(unsigned *width, unsigned need)
{
    bool wider = need > *width;

    *width = max(*width, need);
    return wider;
}

static void measure(struct fw_show_page *page)
{
    bool changed = false;
    char index[24];

    for (size_t i = 0; i < page->rows.len; i++) {
        const struct fw_show_row *row = &page->rows.at[i];
        unsigned op = columns_of(op_of(page, row));
        unsigned name = columns_of(fw_thread_name(page->symbols, row->thread));

        snprintf(index, sizeof index, "%" PRIu64, row->index);
        fw_vec_extend(&page->width, row->thread + 1);
        changed |= widen(&page->index_width, columns_of(index));
        changed |= widen(&page->width.at[row->thread], max(op, name));
        changed |= widen(&page->thread_width, name);
        changed |= widen(&page->op_width, op);
        if (*site_of(page, row))
            widen(&page->site_width, max(columns_of(site_of(page, row)), 4)); /* "site" */
    }
    page->headed &= !changed;
}

static uint64_t total_width(const struct fw_show_page *page, unsigned cap)
{
    uint64_t total = page->index_width;

    for (size_t i = 0; i < page->width.len; i++)
        if (page->width.at[i])
            total += GAP + (page->width.at[i] < cap ? page->width.at[i] : cap);
    return total;
}

/* Finds the widest cap with which all columns fit; false: not even the narrowest. */
static bool fit_columns(struct fw_show_page *page)
{
    unsigned site = page->site_width < SITE_RESERVE ? page->site_width : SITE_RESERVE;
    unsigned low = COLUMN_MIN, high = page->op_width, columns = 0, old = page->cap;

    for (size_t i = 0; i < page->width.len; i++)
        columns += page->width.at[i] != 0;
    page->cap = UINT32_MAX;
    if (!page->style.width)
        return columns <= COLUMNS_MAX;
    site += site ? GAP : 0;
    if (total_width(page, page->cap) + site > page->style.width) {
        if (total_width(page, low) + site > page->style.width)
            return false;
        while (low < high) {
            unsigned middle = low + (high - low + 1) / 2;

            if (total_width(page, middle) + site <= page->style.width)
                low = middle;
            else
                high = middle - 1;
        }
        page->cap = low;
    }
    page->headed &= page->cap == old;
    return true;
}

static void blanks(struct fw_show_page *page, unsigned count)
{
    memset(fw_output_reserve(page->out, count), ' ', count);
    fw_output_advance(page->out, count);
}

/* At most `room` columns of text, then blanks up to `pad`. */
static void print_cell(struct fw_show_page *page, const char *text, unsigned room, unsigned pad)
{
    unsigned width = columns_of(text), kept = 0;
    const char *end = text;

    if (width <= room) {
        fw_output_text(page->out, text);
        blanks(page, pad > width ? pad - width : 0);
        return;
    }
    /* room - 1 whole characters and the mark. */
    while ((*end & 0xc0) == 0x80 || kept++ < room - 1)
        end++;
    fw_output_bytes(page->out, text, (size_t)(end - text));
    fw_output_text(page->out, page->style.unicode ? "…" : "~");
    blanks(page, pad > room ? pad - room : 0);
}

/* Colour never says anything alone: it repeats what the operation's name says. */
static const char *colour_of(uint32_t kind)
{
    if (fw_is_write(kind) || kind == FW_FREE)
        return "\033[31m";
    if (fw_is_read(kind))
        return "\033[32m";
    if (fw_is_class(kind, FW_CLASS_ACQUIRE | FW_CLASS_RELEASE) || kind == FW_TRY_FAIL)
        return "\033[33m";
    if (kind == FW_FORK || kind == FW_JOIN)
        return "\033[35m";
    return "\033[36m";
}

static void colour(struct fw_show_page *page, const char *code)
{
    if (page->style.colour)
        fw_output_text(page->out, code);
}

#define BOLD  "\033[1m"
#define FAINT "\033[2m"
#define OFF   "\033[0m"

static unsigned column_width(const struct fw_show_page *page, size_t thread)
{
    return page->width.at[thread] < page->cap ? page->width.at[thread] : page->cap;
}

/* Columns behind it are empty; those of threads that did not occur have no width. */
static size_t last_column(const struct fw_show_page *page)
{
    size_t last = page->width.len;

    while (last && !page->width.at[last - 1])
        last--;
    return last;
}

static void print_header(struct fw_show_page *page)
{
    size_t last = last_column(page);

    colour(page, BOLD);
    fw_output_printf(page->out, "%*s", (int)page->index_width, "index");
    for (size_t i = 0; i < last; i++) {
        unsigned width = column_width(page, i);

        if (!width)
            continue;
        fw_output_text(page->out, "  ");
        print_cell(page, name_of(page, (uint32_t)i), width,
                   i + 1 < last || page->site_width ? width : 0);
    }
    if (page->site_width)
        fw_output_text(page->out, "  site");
    colour(page, OFF);
    fw_output_text(page->out, "\n");
    page->headed = true;
}

static void print_site(struct fw_show_page *page, const char *gap, const char *site)
{
    if (*site) {
        fw_output_text(page->out, gap);
        fw_output_text(page->out, site);
    }
    fw_output_text(page->out, "\n");
}

/* The event in its thread's column, a line down the others. */
static void print_columns(struct fw_show_page *page, const struct fw_show_row *row)
{
    const char *line = page->style.unicode ? "│" : "|", *site = site_of(page, row);
    size_t last = last_column(page);

    fw_output_printf(page->out, "%*" PRIu64, (int)page->index_width, row->index);
    for (size_t i = 0; i < last; i++) {
        bool here = i == row->thread;
        unsigned width = column_width(page, i);

        if (!width)
            continue;
        fw_output_text(page->out, "  ");
        colour(page, here ? colour_of(row->kind) : FAINT);
        print_cell(page, here ? op_of(page, row) : line, width, i + 1 < last || *site ? width : 0);
        colour(page, OFF);
    }
    print_site(page, "  ", site);
}

static void print_plain(struct fw_show_page *page, const struct fw_show_row *row)
{
    const char *site = site_of(page, row);

    fw_output_printf(page->out, "%" PRIu64 " ", row->index);
    fw_output_text(page->out, name_of(page, row->thread));
    fw_output_text(page->out, " ");
    colour(page, colour_of(row->kind));
    fw_output_text(page->out, op_of(page, row));
    colour(page, OFF);
    print_site(page, " ", site);
}

void fw_show_page_flush(struct fw_show_page *page)
{
    bool plain = page->style.plain;

    if (page->rows.len == 0)
        return;
    if (!plain) {
        measure(page);
        plain = !fit_columns(page);
    }
    if (page->was_plain && !plain)
        page->headed = false;
    page->was_plain = plain;
    if (!plain && !page->headed)
        print_header(page);
    for (size_t i = 0; i < page->rows.len; i++)
        (plain ? print_plain : print_columns)(page, &page->rows.at[i]);
    fw_vec_clear(&page->rows);
    fw_vec_clear(&page->text);
}
