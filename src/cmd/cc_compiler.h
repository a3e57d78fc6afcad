/*
 * cc_compiler.h - which compiler `foreweave cc` and `foreweave c++` stand for.
 *
 * `--compiler=` wins, then FOREWEAVE_CXX (c++ only), then FOREWEAVE_CC, then gcc and g++.  The
 * words may have arguments before the compiler's own ("ccache gcc").  For c++ the name of a C
 * compiler stands for its C++ twin: clang-14 for clang++-14.
 */
#ifndef FW_CMD_CC_COMPILER_H
#define FW_CMD_CC_COMPILER_H

#include "base/error.h"
#include "base/options.h"

enum fw_cc_family {
    FW_CC_GCC,
    FW_CC_CLANG,
};

struct fw_cc_compiler {
    struct fw_words words; /* what to run, each word owned; the last one is the compiler */
    enum fw_cc_family family;
};

/* `asked`: the value of --compiler, or NULL.  -1: there is no compiler to speak of. */
int fw_cc_compiler_find(struct fw_cc_compiler *compiler, const char *asked, bool cxx,
                        struct fw_error *err);
void fw_cc_compiler_release(struct fw_cc_compiler *compiler);

#endif
