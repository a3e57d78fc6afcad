/*
 * tally.h - counts races between sites that are known to race.
 *
 * Where there are races there are many of the same, on the same variables.
 * What is left to know of them is how many they are and which variables they
 * were on; and that is not needed before the end.  So a race here costs a look
 * into a table that fits a cache, most of the time.
 *
 *     if (!fw_tally_count(tally, a, b, variable)) {
 *         ... the first race of these two sites ...
 *         fw_tally_learn(tally, a, b, number);
 *     }
 *     fw_tally_empty(tally, put, me);      every now and then, and at the end
 *
 * Sites are not 0.
 */
#ifndef FW_ANALYSIS_TALLY_H
#define FW_ANALYSIS_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fw_tally;

struct fw_tally *fw_tally_create(void);
void fw_tally_destroy(struct fw_tally *tally);

/* A race of two sites, in either order, on a variable; false if they are not known. */
bool fw_tally_count(struct fw_tally *tally, uint32_t a, uint32_t b, uint32_t variable);

/* From now on the two sites are known by this number. */
void fw_tally_learn(struct fw_tally *tally, uint32_t a, uint32_t b, uint32_t number);

/* Is it time to empty it, since it takes much memory? */
bool fw_tally_is_full(const struct fw_tally *tally);

/*
 * Hands over what was counted since the last time, ascending by number; a
 * variable may come several times.
 */
void fw_tally_empty(struct fw_tally *tally,
                    void (*put)(void *me, uint32_t number, uint32_t variable, uint32_t count),
                    void *me);

#endif
