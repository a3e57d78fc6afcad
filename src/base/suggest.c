/*
 * suggest.c - see suggest.h.
 *
 * Optimal string alignment distance (Damerau-Levenshtein without overlapping
 * swaps), three rows at a time.  A candidate is close if at most a third of
 * the word (at least one letter) is wrong, or if the word is its beginning.
 */
#include "base/suggest.h"

#include <stdbool.h>
#include <string.h>

#define LONGEST 63u

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

size_t fw_edit_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1];
    size_t len_a = strlen(a), len_b = strlen(b);
    size_t *before = rows[0], *last = rows[1], *now = rows[2];

    if (len_a > LONGEST || len_b > LONGEST)
        return len_a > len_b ? len_a : len_b;
    for (size_t j = 0; j <= len_b; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= len_a; i++) {
        size_t *oldest = before;

        now[0] = i;
        for (size_t j = 1; j <= len_b; j++) {
            now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                now[j] > before[j - 2] + 1)
                now[j] = before[j - 2] + 1;
        }
        before = last;
        last = now;
        now = oldest;
    }
    return last[len_b];
}

void fw_suggest(struct fw_suggestion *suggestion, const char *candidate)
{
    size_t len = strlen(suggestion->word);
    size_t other = strlen(candidate);
    bool prefix = len > 1 && strncmp(candidate, suggestion->word, len) == 0;
    size_t allowed = len < 4 ? 1 : (len + 1) / 3;
    size_t distance = 1;

    if (!prefix && (other > len + allowed || len > other + allowed))
        return; /* the difference of lengths alone is too much: damaged files have many words */
    if (!prefix)
        distance = fw_edit_distance(suggestion->word, candidate);
    if (distance > allowed || (suggestion->best && suggestion->distance <= distance))
        return;
    suggestion->best = candidate;
    suggestion->distance = distance;
}
