/*
 * utf8.h - what is UTF-8 and what is not.
 */
#ifndef FW_BASE_UTF8_H
#define FW_BASE_UTF8_H

#include <stddef.h>

/*
 * The length of the sequence at s (RFC 3629: no overlong ones, no surrogates), or 0: it is none.
 * s ends with NUL, which is a sequence of its own.
 */
static inline size_t fw_utf8_length(const unsigned char *s)
{
    size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

    if (s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return len;
}

#endif
