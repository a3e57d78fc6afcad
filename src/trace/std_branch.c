/*
 * std_branch.c - is there a branch in these lines?
 *
 * Asked of whole files before they are read, so it looks at all bytes but at
 * few lines: only where "br" may begin a field.
 */
#include "trace/std_decoder.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static bool ends_word(char c)
{
    return c == '|' || c == '(' || c == '\n' || fw_text_is_blank(c);
}

/* Is it the second field that begins at `at`, and is that field a branch? */
static bool is_branch(const char *lines, const char *at)
{
    const char *line = memrchr(lines, '\n', (size_t)(at - lines)), *bar;

    if (!ends_word(at[2]) && (memcmp(at, "branch", 6) != 0 || !ends_word(at[6])))
        return false;
    line = line ? line + 1 : lines;
    bar = memchr(line, '|', (size_t)(at - line));
    if (!bar || fw_text_is_void(line, (size_t)(bar - line)))
        return false;
    for (bar++; bar < at; bar++)
        if (!fw_text_is_blank(*bar))
            return false;
    return true;
}

#ifdef __SSE2__
/* Bit i: behind byte i, which may stand before a field, follows "br". */
static inline unsigned candidates(const char *at)
{
    const __m128i blank = _mm_set1_epi8(' ');
    __m128i before = _mm_loadu_si128((const __m128i *)at);
    __m128i b = _mm_loadu_si128((const __m128i *)(at + 1));
    __m128i r = _mm_loadu_si128((const __m128i *)(at + 2));
    __m128i starts = _mm_or_si128(_mm_cmpeq_epi8(before, _mm_set1_epi8('|')),
                                  _mm_cmpeq_epi8(_mm_max_epu8(before, blank), blank));
    __m128i pairs =
        _mm_and_si128(_mm_cmpeq_epi8(b, _mm_set1_epi8('b')), _mm_cmpeq_epi8(r, _mm_set1_epi8('r')));

    return (unsigned)_mm_movemask_epi8(_mm_and_si128(starts, pairs));
}

bool fw_std_has_branch(const char *lines, size_t size)
{
    const char *end = lines + size;

    for (const char *at = lines; at < end; at += 16) {
        for (unsigned found = candidates(at); found; found &= found - 1) {
            const char *hit = at + __builtin_ctz(found) + 1;

            if (hit < end && is_branch(lines, hit))
                return true;
        }
    }
    return false;
}
#else
bool fw_std_has_branch(const char *lines, size_t size)
{
    const char *end = lines + size, *from = lines, *hit;

    while ((hit = memmem(from, (size_t)(end - from), "br", 2))) {
        if (is_branch(lines, hit))
            return true;
        from = hit + 2;
    }
    return false;
}
#endif
