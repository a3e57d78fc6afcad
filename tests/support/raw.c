/* raw.c - see raw.h. */
#include "support/raw.h"

#include "base/bug.h"
#include "record/recover.h"
#include "trace/writer.h"

#include <sys/mman.h>
#include <unistd.h>

static uint64_t put_unit(struct raw *raw, uint64_t a, uint64_t b)
{
    fw_vec_push(&raw->units, ((struct fw_wire_unit) { a, b }));
    return raw->records;
}

uint64_t raw_put(struct raw *raw, enum fw_wire_kind kind, uint64_t operand, unsigned n,
                 unsigned aux, uint64_t pc)
{
    raw->records++;
    return put_unit(raw, operand | (uint64_t)kind << 48 | (uint64_t)n << 56,
                    pc | (uint64_t)aux << 48);
}

uint64_t raw_put_more(struct raw *raw, enum fw_wire_kind kind, uint64_t operand, uint64_t a1,
                      uint64_t b1, uint64_t pc)
{
    raw_put(raw, kind, operand, 0, 0, pc);
    return put_unit(raw, a1, b1);
}

static uint64_t put_text(struct raw *raw, const char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i += 16) {
        uint64_t words[2] = { 0, 0 };

        memcpy(words, text + i, len - i < 16 ? len - i : 16);
        put_unit(raw, words[0], words[1]);
    }
    return raw->records;
}

uint64_t raw_put_text(struct raw *raw, enum fw_wire_kind kind, uint64_t operand, const char *text)
{
    raw_put(raw, kind, operand, 0, (unsigned)strlen(text), 0);
    return put_text(raw, text);
}

uint64_t raw_put_module(struct raw *raw, uint64_t base, uint64_t bytes, uint64_t flags,
                        const char *path)
{
    raw_put(raw, FW_WIRE_MODULE, base, 0, (unsigned)strlen(path), 0);
    put_unit(raw, bytes, flags);
    return put_text(raw, path);
}

void raw_spool(const struct raw *raw, int fd, size_t block, bool end)
{
    struct fw_spool *spool = fw_spool_create(dup(fd), "test");
    size_t at = 0, pending = 0;

    while (at < raw->units.len) {
        size_t size = 1 + (size_t)fw_wire_more(&raw->units.at[at]);

        fw_spool_add(spool, &raw->units.at[at], size);
        at += size;
        pending += size;
        if (pending >= block) {
            fw_spool_flush(spool);
            pending = 0;
        }
    }
    fw_spool_flush(spool);
    if (end)
        fw_spool_end(spool);
    if (fw_spool_error(spool))
        FW_BUG("cannot write a spool: %s", fw_spool_error(spool));
    fw_spool_destroy(spool);
}

unsigned char *raw_spool_bytes(const struct raw *raw, size_t block, bool end, size_t *size)
{
    int fd = memfd_create("spool", MFD_CLOEXEC);
    unsigned char *bytes;

    raw_spool(raw, fd, block, end);
    *size = (size_t)lseek(fd, 0, SEEK_END);
    bytes = fw_xmalloc(*size + 1);
    if (pread(fd, bytes, *size, 0) != (ssize_t)*size)
        FW_BUG("cannot read the spool back");
    close(fd);
    return bytes;
}

struct fw_trace *raw_trace(const struct raw *raw)
{
    struct fw_trace *trace;
    struct fw_error err;
    size_t size;
    unsigned char *bytes = raw_spool_bytes(raw, 1000, true, &size);

    fw_reader_set_recovery(&fw_spool_recovery);
    if (fw_trace_load_memory(&trace, bytes, size, "raw.fwt", NULL, &err) < 0)
        FW_BUG("the recording cannot be read: %s", err.message);
    free(bytes);
    return trace;
}

char *raw_trace_text(const struct raw *raw)
{
    struct fw_trace *trace = raw_trace(raw);
    struct fw_batch batch = fw_trace_batch(trace);
    struct fw_writer *writer;
    struct fw_error err;
    char *text, *line;
    size_t size;

    if (fw_writer_open_memory(&writer, "std", trace->symbols, true, &err) < 0 ||
        fw_writer_batch(writer, &batch, &err) < 0 ||
        fw_writer_take(writer, &text, &size, &err) < 0)
        FW_BUG("cannot write the trace: %s", err.message);
    fw_writer_abandon(writer);
    fw_trace_destroy(trace);
    line = fw_xstrdup(strchr(text, '\n') + 1);
    free(text);
    for (char *p = line; *p; p++)
        if (*p == '\n')
            *p = p[1] ? ' ' : '\0';
    return line;
}
