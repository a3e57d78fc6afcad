/*
 * inlined.h - of a function that was inlined: can one call of it be told from the next?
 *
 * A section is over when its function is left.  Of one that was inlined the runtime is not told
 * that: all that it sees is the activation of the surrounding function.  Where control can come
 * from the entry out of the function, round a loop, and in the next call to an end, without passing
 * the entry again, the two would be taken for one activation's.  That is found in the code here.
 *
 * The next call is another round of a cycle that is not the inlined function's own.  So a way from
 * the entry is followed along the jumps, and one back that closes a cycle counts unless it also
 * closes one that lies in the inlined code alone, by what debug information says of that.  Rather
 * too many ways are taken for such than too few.
 *
 * x86-64.  Not thread-safe.
 */
#ifndef FW_SECTIONS_INLINED_H
#define FW_SECTIONS_INLINED_H

#include <stddef.h>
#include <stdint.h>

enum fw_inlined {
    FW_INLINED_APART, /* no way leads from one call to the entry or an end in another */
    FW_INLINED_ANEW,  /* one leads to the entry, where the section begins anew */
    FW_INLINED_MIXED, /* one leads to an end first, or that is not known */
};

struct fw_inlined_code;

/* Always something; a file that cannot be read has calls that are mixed. */
struct fw_inlined_code *fw_inlined_open(const char *path);
void fw_inlined_close(struct fw_inlined_code *code);

/* Entry and ends are where hooks return to, all in one copy of an inlined function. */
enum fw_inlined fw_inlined_calls(struct fw_inlined_code *code, uint64_t entry, const uint64_t *ends,
                                 size_t count);

#endif
