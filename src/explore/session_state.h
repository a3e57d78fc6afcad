/*
 * session_state.h - a session from inside: for session*.c alone.
 */
#ifndef FW_EXPLORE_SESSION_STATE_H
#define FW_EXPLORE_SESSION_STATE_H

#include "explore/session.h"

#define FW_SESSION_SITES 16384u

struct fw_session {
    struct fw_session_setup setup;
    int memory, output; /* descriptors */
    char file[64];      /* the memory's name for the program */
    char output_file[64];
    struct fw_control_head *head;
    pid_t process;   /* the server, or the program in a run; 0: none */
    int process_end; /* descriptor */
    double limit;    /* of the run, in seconds ... */
    double granted;  /* ... and what it has in addition (starved.h) */
    unsigned left_behind; /* processes that outlived their runs */
    bool late;       /* the latest run has passed its limit */
    double seen_deadlock; /* when it was seen that a child of the run is in one; 0: never */
    bool moves;      /* points were passed in the last part of the limit */
    char *text;
    size_t text_bytes;
    uint64_t text_hash;
    fw_classify classify;
    void *context;
};

/* Makes the files and maps the memory. */
int fw_session_map(struct fw_session *session, struct fw_error *err);

/* What lies at this offset of the memory. */
static inline void *fw_session_area(const struct fw_session *session, uint64_t at)
{
    return (char *)session->head + at;
}

#endif
