/*
 * sharing.h - which memory threads share, learnt in one run so that the next one can make its noise
 * there (FOREWEAVE_OPTIONS: learn=1; then prefer=1 with targets).
 *
 * Of each word the latest access is remembered, in a table without chains: words that share a place
 * in it are taken for one, which costs noise in the wrong place and nothing else.  What is
 * handed over when a thread is created does not count; what a thread has left behind, and its
 * creator takes, probably after a join, counts less.
 */
#ifndef FW_ATOMRACE_SHARING_H
#define FW_ATOMRACE_SHARING_H

#include "atomrace/sections.h"

extern bool fw_sharing_on;

/* Switches it on, if there is memory. */
void fw_sharing_begin(void);
/* An access of a thread that has handlers kept out, or can afford to be interrupted. */
void fw_sharing_note(const struct fw_overlap_access *access);
/* A thread is created, or has ended. */
void fw_sharing_started(const struct fw_thread *t, const struct fw_thread *by);
void fw_sharing_ended(const struct fw_thread *t);
/* What was learnt, for the recorder: "shared=vOFFSET:PATH" (memory) and "shared=cOFFSET:PATH" (code
 * that accesses what is in no file), w and d if it counts less.  Between fw_telling_begin and
 * fw_telling_end. */
void fw_sharing_tell(struct fw_thread *t);
/* In a fork child. */
void fw_sharing_forked(void);

#endif
