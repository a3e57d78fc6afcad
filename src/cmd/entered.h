/*
 * entered.h - the memo database of a command that runs a program: opened, and entered with what is
 * run.
 */
#ifndef FW_CMD_ENTERED_H
#define FW_CMD_ENTERED_H

#include "memo/memo.h"

struct fw_entered {
    struct fw_memo *memo; /* NULL: there is none */
    char *program, *input, *command, *campaign;
    char *option; /* for other commands: " --db=WHERE", or "" if it is the default */
};

/* `where` NULL: the default one, whose folder is made.  `judge`: as of struct fw_memo_who.
 * -1: err.  Release it in either case. */
int fw_entered_open(struct fw_entered *entered, const char *where, char *const *argv,
                    const char *judge, struct fw_error *err);
void fw_entered_release(struct fw_entered *entered);

#endif
