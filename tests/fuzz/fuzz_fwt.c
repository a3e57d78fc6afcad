/*
 * fuzz_fwt.c - any bytes as a .fwt trace; see fuzz_reader.h.
 *
 * Random changes never get past a checksum, so the blocks are sealed again
 * first (unless the size is odd: damaged checksums are met too).
 */
#include "fuzz_reader.h"
#include "trace/fwt_block.h"

/* Gives the header and every block that can be told apart its right checksums. */
static void seal_all(unsigned char *bytes, size_t size)
{
    size_t at = FW_FWT_HEADER_SIZE;

    if (size < at)
        return;
    fw_fwt_header_pack(bytes, fw_get16(bytes + 10));
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);

    if (!copy)
        return 0;
    memcpy(copy, data, size);
    if (size % 2 == 0)
        seal_all(copy, size);
    fuzz_reader(copy, size, "fwt");
    free(copy);
    return 0;
}
