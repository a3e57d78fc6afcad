/*
 * suggest.h - "did you mean ...?" for misspelt words.
 */
#ifndef FW_BASE_SUGGEST_H
#define FW_BASE_SUGGEST_H

#include <stddef.h>

/* Collects the best candidate; start with { .word = "comand" }. */
struct fw_suggestion {
    const char *word;
    const char *best; /* borrowed from the caller; NULL: nothing is close */
    size_t distance;
};

/* Considers one candidate; the first of equally close ones stays. */
void fw_suggest(struct fw_suggestion *suggestion, const char *candidate);

/* Insertions, deletions, replacements and swaps of neighbours from a to b. */
size_t fw_edit_distance(const char *a, const char *b);

#endif
