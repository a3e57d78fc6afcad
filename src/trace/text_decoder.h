/*
 * text_decoder.h - what the readers of text formats have in common.
 *
 * A text format supplies the meaning of one line; here are the batches around
 * it, what to do with a line that cannot be read, where an event stands, and
 * the question whether the trace has branches.
 */
#ifndef FW_TRACE_TEXT_DECODER_H
#define FW_TRACE_TEXT_DECODER_H

#include "trace/decoder.h"
#include "trace/text_lines.h"

#define FW_TEXT_NAME_MAX 4096u
#define FW_TEXT_MARK     "\xef\xbb\xbf" /* UTF-8's byte order mark, skipped at the beginning */
#define FW_TEXT_PER_LINE 4u /* events that one line can stand for */

struct fw_text_decoder;

/* What a text format adds. */
struct fw_text_syntax {
    /*
     * Reads a line that is neither void nor strange and adds its events.  0, or -1 with a cause
     * that lacks the position: then it has added no event and interned no name.
     */
    int (*read_line)(struct fw_text_decoder *decoder, const char *line, size_t len,
                     struct fw_error *err);
    /* Is there a branch event in these whole lines?  FW_TEXT_PADDING bytes follow them. */
    bool (*has_branch)(const char *lines, size_t size);
};

struct fw_text_decoder {
    struct fw_decoder base;
    const struct fw_text_syntax *syntax;
    struct fw_symbols *symbols;
    bool repair;
    bool failed;    /* `error` is to be reported once the batch is delivered */
    int branches;   /* 1, 0, or -1: nobody asked yet and the header says nothing */
    uint64_t start; /* offset of the first byte of the trace */
    struct fw_error error;
    struct fw_text text;
    uint32_t count, attr_count;        /* of the current batch */
    struct fw_attr *attrs;             /* FW_BATCH_EVENTS + 1; on its own: rarely touched */
    uint32_t line_of[FW_BATCH_EVENTS]; /* event → its line, counted from text.batch_line */
    struct fw_event events[FW_BATCH_EVENTS];
};

void fw_text_decoder_init(struct fw_text_decoder *decoder, const struct fw_format *format,
                          const struct fw_text_syntax *syntax,
                          const struct fw_decoder_setup *setup);
void fw_text_decoder_release(struct fw_text_decoder *decoder);

/* The operations of a struct fw_format. */
int fw_text_decoder_next(struct fw_decoder *decoder, struct fw_raw_batch *batch,
                         struct fw_error *err);
int fw_text_decoder_branches(struct fw_decoder *decoder, struct fw_error *err);
void fw_text_decoder_locate(struct fw_decoder *decoder, uint32_t i, char *text, size_t size);

/*
 * Their parts, for a format that reads most lines in a way of its own.  _open begins a batch: 1 if
 * the run has lines, 0 at the end, -1 on error.  _line takes and reads one line.  _close hands the
 * batch out: 1, or 0 if it is empty, or -1.
 */
int fw_text_decoder_open(struct fw_text_decoder *decoder, struct fw_error *err);
void fw_text_decoder_line(struct fw_text_decoder *decoder);
int fw_text_decoder_close(struct fw_text_decoder *decoder, struct fw_raw_batch *batch,
                          struct fw_error *err);

/* May the batch take the events of another line? */
static inline bool fw_text_decoder_goes_on(const struct fw_text_decoder *decoder)
{
    return decoder->text.at < decoder->text.whole &&
           decoder->count <= FW_BATCH_EVENTS - FW_TEXT_PER_LINE && !decoder->failed;
}

/* For read_line: adds an event; its attributes, if it has any, go to the batch. */
static inline void fw_text_add(struct fw_text_decoder *decoder, struct fw_event event,
                               const struct fw_attr *attr)
{
    if (attr && attr->has) {
        event.attr = decoder->attr_count;
        decoder->attrs[decoder->attr_count++] = *attr;
    }
    decoder->line_of[decoder->count] = (uint32_t)(decoder->text.line - decoder->text.batch_line);
    decoder->events[decoder->count++] = event;
}

/* For read_line: may a branch event appear here?  0 or -1. */
int fw_text_allow_branch(struct fw_text_decoder *decoder, struct fw_error *err);

/* For read_line: refuses an empty or overlong name.  `what`: "thread name". */
int fw_text_check_name(const char *name, size_t len, const char *what, struct fw_error *err);

/*
 * For read_line: interns a checked name as the target of an event of this kind.  alloc renews a
 * known variable.  Threads (fork, join) get their canonical name.  -1: too many threads.
 */
int fw_text_intern_target(struct fw_text_decoder *decoder, enum fw_kind kind, const char *name,
                          size_t len, uint32_t *id, struct fw_error *err);
int fw_text_intern_thread(struct fw_text_decoder *decoder, const char *name, size_t len,
                          uint32_t *id, struct fw_error *err);

#endif
