/*
 * sections.h - the repository of atomic sections: a value, and a small text file.
 *
 *     foreweave sections 1
 *     section deposit+2 load-and-store deposit
 *       of balance
 *       entry r bank.c:14#1 +2 "balance = balance + amount;"
 *       end w bank.c:14#1 allow=r +2 "balance = balance + amount;"
 *       exit bank.c:17 +5
 *
 * A section begins at its entry, an access of some variable, and is over at the first of its ends
 * that the same thread reaches in the same activation of the function, on the same variable.
 * `allow` says what other threads may do to the variable in between.  It is over as well, and
 * nothing is checked, when control comes to an exit or leaves the function.
 *
 * A *spot* is an access in the source: what it does (r or w), file and line, and which one it is of
 * those that do the same in this line of this function, by address (#1 may be left out).  So that
 * it is found again when the source has changed there may follow the line counted from the
 * function's first one, and the line's text, blanks squeezed: the text decides if the source can
 * be read, else the line within the function, else FILE:LINE (place.h has the rule).  FILE is known
 * by its last components.
 *
 * `of` names a global variable, which helps to find accesses again where their order has changed;
 * it may be left out.  Flags: circular (the entry is an end too: the section goes once round) and
 * recursive (entries within it count, and as many ends end it).
 *
 * In the runtime, src/atomrace, such a section is called a region, and a section is what spans a
 * single access.  Texts are owned by the repository.  Not thread-safe.
 */
#ifndef FW_SECTIONS_SECTIONS_H
#define FW_SECTIONS_SECTIONS_H

#include "base/error.h"
#include "base/output.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define FW_SECTIONS_MOST     16384u /* in a file */
#define FW_SECTION_ENDS_MOST 4096u  /* of one; exits as well */

enum fw_section_origin {
    FW_ORIGIN_GIVEN,
    FW_ORIGIN_ANNOTATION,
    FW_ORIGIN_LOAD_AND_STORE,
    FW_ORIGIN_TEST_AND_USE,
    FW_ORIGIN_INVARIANT,
    FW_ORIGIN_COUNT,
};

extern const char
    *const fw_section_origins[FW_ORIGIN_COUNT + 1]; /* as in the file; ends with NULL */

/* What other threads may do: a bit each. */
enum {
    FW_ALLOW_READS = 1,
    FW_ALLOW_WRITES = 2,
};

#define FW_ALLOW_ALL (FW_ALLOW_READS | FW_ALLOW_WRITES)

struct fw_spot {
    bool write; /* of an exit: false, any access of the line is meant */
    char *file;
    uint32_t line;
    uint32_t ordinal; /* from 1; of an exit 1 */
    bool has_offset;
    int32_t offset; /* the line from the function's first one, which is 0 */
    char *text;     /* NULL: not known */
};

struct fw_section_end {
    struct fw_spot at;
    unsigned allow; /* FW_ALLOW_* */
};

struct fw_atomic_section {
    char *name; /* one word, unique */
    enum fw_section_origin origin;
    char *function;
    char *variable; /* NULL: not told */
    struct fw_spot entry;
    FW_VEC(struct fw_section_end) ends; /* one at least */
    FW_VEC(struct fw_spot) exits;
    bool circular, recursive;
    unsigned file_line; /* where it stands in the file; 0: it was not read from one */
};

struct fw_sections {
    FW_VEC(struct fw_atomic_section) at;
};

void fw_sections_init(struct fw_sections *sections);
void fw_sections_release(struct fw_sections *sections);

/* -1: err names file and line.  Then there is nothing to release. */
int fw_sections_read(struct fw_sections *sections, const char *path, struct fw_error *err);
int fw_sections_read_memory(struct fw_sections *sections, const char *text, size_t bytes,
                            const char *name, struct fw_error *err);

void fw_sections_print(const struct fw_sections *sections, struct fw_output *out);
int fw_sections_write(const struct fw_sections *sections, const char *path, struct fw_error *err);

/* --- changing -------------------------------------------------------------------------------- */

/* Adds one and returns it, for filling in; the texts are copied.  The pointer is good until the
 * next is added.  fw_sections_name gives it its name, when its entry is known. */
struct fw_atomic_section *fw_sections_add(struct fw_sections *sections,
                                          enum fw_section_origin origin, const char *function);
/* From function and line, FUNCTION+2 or FUNCTION:14, and a number if there is one of this name. */
void fw_sections_name(struct fw_sections *sections, struct fw_atomic_section *section);
void fw_section_add_end(struct fw_atomic_section *section, const struct fw_spot *at,
                        unsigned allow); /* the spot's texts are copied */
void fw_section_remove_end(struct fw_atomic_section *section, size_t end);
void fw_sections_remove(struct fw_sections *sections, size_t section);

struct fw_atomic_section *fw_sections_find(const struct fw_sections *sections, const char *name);

/* --- spots ----------------------------------------------------------------------------------- */

void fw_spot_copy(struct fw_spot *to, const struct fw_spot *from);
void fw_spot_release(struct fw_spot *spot);
/* The same access of the source, texts and line within the function aside? */
bool fw_spot_is(const struct fw_spot *a, const struct fw_spot *b);
/* Does FILE:LINE name its line?  The file may have more or fewer folders. */
bool fw_spot_is_at(const struct fw_spot *spot, const char *where);
/* "bank.c:14", and "#2" unless it is the first.  The caller frees it. */
char *fw_spot_where(const struct fw_spot *spot);
/* "-", "r", "w", "rw" */
const char *fw_allow_text(unsigned allow);

#endif
