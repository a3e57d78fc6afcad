/*
 * show_page.h - events as lines of text: in columns, one for each thread, or plain.
 *
 * Rows are collected in pages of bounded size; a page is laid out as a whole
 * and printed.  Columns only ever grow, and the header is printed again when
 * they did.  So a trace of any length can be shown while it is being read, and
 * a short one (a page) is aligned exactly.
 */
#ifndef FW_CMD_SHOW_PAGE_H
#define FW_CMD_SHOW_PAGE_H

#include "base/output.h"
#include "base/vec.h"
#include "trace/batch.h"
#include "trace/symbols.h"

struct fw_show_style {
    bool plain; /* INDEX THREAD OP SITE, no columns */
    bool colour;
    bool unicode;   /* lines and the mark of cut text; else ASCII */
    unsigned width; /* columns of the screen; 0: as wide as needed */
};

/* One event; texts are offsets into the page's text. */
struct fw_show_row {
    uint64_t index;
    uint32_t thread;
    uint32_t kind;
    size_t op, site;
};

FW_VEC_TYPE(fw_text, char);

struct fw_show_page {
    struct fw_output *out;
    const struct fw_symbols *symbols;
    struct fw_show_style style;
    FW_VEC(struct fw_show_row) rows;
    struct fw_text text;    /* NUL-terminated pieces */
    struct fw_text name;    /* a thread's, while it is printed */
    FW_VEC(unsigned) width; /* of each thread's column; 0: no column yet */
    unsigned index_width, site_width, thread_width, op_width;
    unsigned cap;   /* most a column may take */
    bool headed;    /* the header on the screen is right */
    bool was_plain; /* the last page was */
};

void fw_show_page_init(struct fw_show_page *page, struct fw_output *out,
                       const struct fw_symbols *symbols, const struct fw_show_style *style);
void fw_show_page_release(struct fw_show_page *page);

/* Adds an event; prints when the page is full. */
void fw_show_page_add(struct fw_show_page *page, const struct fw_event *event,
                      const struct fw_attr *attr, uint64_t index);

/* Prints what is left. */
void fw_show_page_flush(struct fw_show_page *page);

#endif
