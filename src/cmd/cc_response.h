/*
 * cc_response.h - response files: `@FILE` among a compiler's arguments stands for what is in it.
 */
#ifndef FW_CMD_CC_RESPONSE_H
#define FW_CMD_CC_RESPONSE_H

#include "base/options.h"

/*
 * Appends the arguments to *words, response files read, in turn, as gcc and clang do: blanks
 * separate, quotes and backslashes protect.  A file that cannot be read stays as it is.  What is
 * new is appended to *owned as well.  Returns how many files were read.
 */
unsigned fw_cc_response_expand(int argc, char **argv, struct fw_words *words,
                               struct fw_words *owned);

#endif
