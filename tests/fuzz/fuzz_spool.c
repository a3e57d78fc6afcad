/*
 * fuzz_spool.c - any bytes as a recording that was not finished.
 *
 * Whatever is in it, finishing it gives a well-formed trace (see fuzz_reader.h) or an error that
 * says why.  Random changes never get past a checksum, so blocks are sealed again first, unless the
 * size is odd.
 */
#include "fuzz_reader.h"
#include "record/final.h"
#include "record/spool.h"

#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define LIMIT (64u << 20) /* of the survey */

static void seal_all(unsigned char *bytes, size_t size)
{
    size_t at = FW_SPOOL_HEADER;

    if (size < at)
        return;
    fw_put32(bytes + 12, (uint32_t)XXH3_64bits(bytes, 12));
    while (size - at >= FW_FWT_BLOCK_HEAD + FW_FWT_BLOCK_TAIL) {
        struct fw_fwt_head head;
        size_t room = size - at - FW_FWT_BLOCK_HEAD - FW_FWT_BLOCK_TAIL;

        fw_fwt_head_unpack(bytes + at, &head);
        fw_fwt_head_pack(bytes + at, &head);
        if (head.stored > room)
            return;
        fw_fwt_seal(bytes + at, FW_FWT_BLOCK_HEAD + head.stored);
        at += FW_FWT_BLOCK_HEAD + head.stored + FW_FWT_BLOCK_TAIL;
    }
}

/* What was written must be a trace that needs no repair. */
static void check_result(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
    struct fw_trace *trace;
    struct fw_error err;

    FW_ASSERT(bytes != MAP_FAILED);
    if (fw_trace_load_memory(&trace, bytes, (size_t)size, "finished", NULL, &err) < 0)
        FW_BUG("the finished trace is refused: %s", err.message);
    fuzz_check_trace(trace);
    fw_trace_destroy(trace);
    munmap(bytes, (size_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    int fd = memfd_create("finished", MFD_CLOEXEC);
    struct fw_input spool;
    struct fw_output out;
    struct fw_final_setup setup = { .spool = &spool, .out = &out, .limit = LIMIT };
    struct fw_final_result result;
    struct fw_error err = { { 0 } };

    FW_ASSERT(copy && fd >= 0);
    memcpy(copy, data, size);
    if (size % 2 == 0)
        seal_all(copy, size);
    fw_input_open_memory(&spool, copy, size, "fuzz");
    fw_output_open_fd(&out, dup(fd), "finished");
    if (fw_finalise(&setup, &result, &err) == 0)
        check_result(fd);
    else
        FW_ASSERT(err.message[0]);
    fw_input_close(&spool);
    close(fd);
    free(copy);
    return 0;
}
