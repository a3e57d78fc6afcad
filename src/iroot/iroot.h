/*
 * iroot.h - interleaving idioms, and their instances between places of the code.
 *
 * The definition, in full in docs/iroots.md:
 *
 * Accesses are reads and writes of variables, atomic ones too, `free` (a write of its block), and
 * operations that take or give back a lock.  Exclusive lock operations count as writes of the lock,
 * shared ones as reads.  Accesses conflict if they are of one object, made by two threads, and one
 * of them writes.
 *
 * B depends on A immediately, A => B, if A comes before B, they conflict, A gives the lock back and
 * B takes it (where they are of a lock), and no access of the same object lies between them that
 *   - is of A's or B's thread, or
 *   - writes, or
 *   - reads, where A and B both write.
 *
 * Two threads, S and T, make an instance of an idiom:
 *
 *     1   A => B
 *     2   A => B => C            one object; S: A C    T: B
 *     3   A => B, C => D         one object; S: A D    T: B C
 *     4   A => B, C => D         x, y;       S: A D    T: B C    S accesses neither x nor y between
 *     5   A => B, C => D         x, y;       S: A D    T: C B
 *     6   A => B, C => D         x, y;       S: A C    T: B D
 *
 * (A and B are of x, C and D of y; threads make theirs in the order given; x is not y.)  Of two
 * accesses that an instance has of one thread, the second is at most `window` accesses of that
 * thread behind the first.  In idiom 3 S does not access the object between A and D.
 *
 * Idiom 5 has a second form, for locks, which is a deadlock: S takes x (A), T takes y (C), S then
 * waits for y (D) and T for x (B).  There is no dependency in it, since neither gets on.  Both
 * forms of idiom 5 look the same from S and from T: (A B C D) and (C D A B) are one instance.
 *
 * An iRoot is an idiom with the static accesses of its instances: what happens where in the code,
 * whatever the values.  A run *exposes* it if it contains an instance.
 */
#ifndef FW_IROOT_IROOT_H
#define FW_IROOT_IROOT_H

#include "base/error.h"
#include "base/output.h"
#include "base/strtab.h"

#include <stdbool.h>
#include <stdint.h>

#define FW_IDIOMS       6u /* numbered from 1 */
#define FW_IROOT_MOST   4u /* accesses of one */
#define FW_IROOT_WINDOW 100u

/* What a static access does. */
enum fw_iroot_does {
    FW_DOES_READ,
    FW_DOES_WRITE,   /* also one that reads and writes at once, and free */
    FW_DOES_LOCK,    /* in either mode */
    FW_DOES_UNLOCK,
    FW_DOES_COUNT,
};

extern const char *const fw_iroot_does_names[FW_DOES_COUNT]; /* "r", "w", "lock", "unlock" */

/* How many accesses an instance of the idiom has: 2, 3 or 4. */
unsigned fw_idiom_accesses(unsigned idiom);

/*
 * The static accesses, by number: interned texts.  A text is
 *
 *     DOES MODULE FUNCTION+LINE#ORDINAL     line counted from the function's first one, the how-
 *                                           manieth of those in this line that do the same (of
 *                                           locks and their like: of the calls in this line)
 *     DOES MODULE FUNCTION                  the line is not known
 *     DOES MODULE 0xOFFSET                  nothing is known
 *     DOES SITE                             traces that are not of a recording: their own word,
 *                                           or the object in parentheses if there is none
 *
 * with words in quotes where needed (fw_output_quoted): those with blanks, `|`, `#`, quotes,
 * backslashes or control letters, empty ones, functions with a `+` or a digit at the beginning.
 * What is behind a function's name stays outside: "operator new(unsigned long)"+3#1.  A module is
 * a file's name without its folder.  So a text is the same after a rebuild, and after edits
 * elsewhere.
 */
struct fw_access {
    enum fw_iroot_does does;
    const char *module;   /* NULL: `site` says where */
    const char *function; /* NULL: `offset` says where */
    unsigned line, ordinal; /* ordinals count from 1; 0: the line is not known */
    uint64_t offset;
    const char *site;
    char *memory; /* of the texts above, if they are its own; else NULL */
};

/* In place of a number: an access that is nowhere in the code.  It counts where others must be next
 * to each other, and no iRoot has it. */
#define FW_ACCESS_NONE UINT32_MAX

/* Its number in the table. */
uint32_t fw_access_intern(struct fw_strtab *accesses, const struct fw_access *access);
/* Takes a text apart, with more blanks and quotes than needed if need be; fw_access_release frees
 * it.  -1: err. */
int fw_access_parse(struct fw_access *access, const char *text, struct fw_error *err);
void fw_access_release(struct fw_access *access);
/* The first word of a text that fw_access_intern made. */
enum fw_iroot_does fw_access_does(const char *text);

struct fw_iroot {
    uint8_t idiom; /* 1 to FW_IDIOMS */
    bool waits;    /* idiom 5 as a deadlock */
    uint32_t access[FW_IROOT_MOST]; /* A, B, C, D; those that are not there are 0 */
};

/* Of the two ways to write an instance of idiom 5 the one with the smaller A, then B.  All below
 * give and take either. */
struct fw_iroot fw_iroot_normal(const struct fw_iroot *iroot);
/* A total order, and equality: by idiom, then accesses. */
int fw_iroot_compare(const struct fw_iroot *a, const struct fw_iroot *b);
uint64_t fw_iroot_hash(const struct fw_iroot *iroot);

/*
 * As text, in one line: "4 TEXT_A | TEXT_B | TEXT_C | TEXT_D", or "5w ..." for the deadlock.  Of
 * the two ways to write one of idiom 5, the one whose texts come first: equal iRoots have equal
 * texts, whatever the numbers in the table.
 */
void fw_iroot_print(const struct fw_iroot *iroot, const struct fw_strtab *accesses,
                    struct fw_output *out);
/* Refuses what cannot be an instance, such as a read that depends on a read.  New texts are added
 * to `accesses`.  -1: err. */
int fw_iroot_parse(struct fw_iroot *iroot, const char *text, struct fw_strtab *accesses,
                   struct fw_error *err);

/* --- sets ------------------------------------------------------------------------------------ */

/* A growing set; its members are numbered from 0 in the order in which they were added. */
struct fw_iroot_set;

struct fw_iroot_set *fw_iroot_set_create(void);
void fw_iroot_set_destroy(struct fw_iroot_set *set);
/* True: it is new. */
bool fw_iroot_set_add(struct fw_iroot_set *set, const struct fw_iroot *iroot);
bool fw_iroot_set_has(const struct fw_iroot_set *set, const struct fw_iroot *iroot);
#define FW_IROOT_NONE UINT32_MAX
/* Its number; FW_IROOT_NONE: it is not in the set. */
uint32_t fw_iroot_set_find(const struct fw_iroot_set *set, const struct fw_iroot *iroot);
uint32_t fw_iroot_set_count(const struct fw_iroot_set *set);
uint32_t fw_iroot_set_of_idiom(const struct fw_iroot_set *set, unsigned idiom);
/* Good until the next is added. */
const struct fw_iroot *fw_iroot_set_get(const struct fw_iroot_set *set, uint32_t number);

#endif
