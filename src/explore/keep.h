/*
 * keep.h - a failing run becomes a schedule file.
 *
 * A capture is what a session remembers of its latest run, in words that another session
 * understands.  Keeping it means: it is repeated in that other session, made short while it fails
 * in the same way, and written with places that other builds find again.
 */
#ifndef FW_EXPLORE_KEEP_H
#define FW_EXPLORE_KEEP_H

#include "explore/trial.h"
#include "explore/turns.h"

struct fw_capture {
    struct fw_turns turns;      /* sites of steps are places of this capture */
    struct fw_spot_vec places;
};

/* NULL: the run was too long. */
struct fw_capture *fw_capture_take(const struct fw_session *session);
void fw_capture_destroy(struct fw_capture *capture);

/* Its first steps, so many at most, in the words of this session; turns may hold other ones. */
void fw_capture_translate(const struct fw_capture *capture, size_t steps,
                          struct fw_session *session, struct fw_turns *turns);

/* What a run must do to be the same. */
struct fw_wanted {
    const char *failure; /* text of failure.h */
    const char *ok;      /* the command that judges, or NULL */
    struct fw_escort_commands escort;
    char *const *argv;
    unsigned runs; /* that making it short may take */
};

/* Writes the schedule; 0, or 1 if the run did not fail in the same way when it was repeated, or -1:
 * the program could not be run, or the file not be written. */
int fw_capture_keep(const struct fw_capture *capture, struct fw_session *session,
                    const struct fw_wanted *wanted, const char *path, struct fw_error *err);

#endif
