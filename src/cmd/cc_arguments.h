/*
 * cc_arguments.h - what a call of the compiler is about, read from its arguments.
 *
 * The wrapper must know four things: whether there is anything to do (else it stays out of the
 * way: --version, -print-..., -dumpmachine), whether the call ends with a link, whether the user
 * wants hooks in this code, and which arguments cannot stay because the hooks would be lost or the
 * link would fail.  All other arguments are the compiler's and are handed on unread.
 */
#ifndef FW_CMD_CC_ARGUMENTS_H
#define FW_CMD_CC_ARGUMENTS_H

#include "base/error.h"
#include "base/options.h"
#include "cmd/cc_compiler.h"

struct fw_cc_call {
    struct fw_words args;  /* for the compiler, as far as they are kept */
    bool works;            /* there is an input: the call compiles or links something */
    bool links;            /* it makes an executable or a shared library */
    bool runtime;          /* ... to which our library belongs */
    bool hooks;            /* code compiled here gets them ... */
    bool no_branches;      /* ... but none at branches; set by the caller */
    struct fw_words notes; /* what was dropped and why, a line each; owned */
    struct fw_words owned;
};

/* -1: an argument that does not go together with ours; err says which.  Release in either case. */
int fw_cc_call_read(struct fw_cc_call *call, enum fw_cc_family family, int argc, char **argv,
                    struct fw_error *err);
void fw_cc_call_release(struct fw_cc_call *call);

#endif
