/*
 * words.h - iRoots and other texts of a memo database, for people and programs.
 */
#ifndef FW_REPORT_WORDS_H
#define FW_REPORT_WORDS_H

#include "base/json.h"
#include "base/output.h"
#include "memo/memo.h"

/* A text that may have anything in it, in one line. */
void fw_words_plain(struct fw_output *out, const char *text);

/* "w a.c:3 => r b.c:7", by places where they are known. */
void fw_words_iroot(struct fw_output *out, const struct fw_memo_iroot *iroot);
/* As in iroot.h: "1 w m f+2#1 | r m g+4#1". */
void fw_words_exactly(struct fw_output *out, const struct fw_memo_iroot *iroot);
/* "idiom", "waits" and "accesses" of the object at hand. */
void fw_words_json(struct fw_json *json, const struct fw_memo_iroot *iroot);

#endif
