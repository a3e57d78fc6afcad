/*
 * standard_input.h - standard input for a program that is run several times.
 *
 * A file is read by each run from where it stood.  What a pipe holds is copied without being taken
 * out of it, if it is all that there will be: its writer has ended.  Of anything else, a terminal
 * or a pipe that is still written to, each byte can be read once only.
 */
#ifndef FW_CMD_STANDARD_INPUT_H
#define FW_CMD_STANDARD_INPUT_H

#include <stdbool.h>

struct fw_standard_input {
    int fd;    /* for fw_session_setup.input; 0: none */
    bool open; /* it is a pipe that was still written to ... */
    bool came; /* ... and had something in it */
};

/* Before the first run. */
struct fw_standard_input fw_standard_input_keep(void);
/* After it: why further ones lack what that one may have read; NULL: they do not. */
const char *fw_standard_input_lost(const struct fw_standard_input *input);
void fw_standard_input_release(struct fw_standard_input *input);

#endif
