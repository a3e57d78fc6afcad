/*
 * processor.h - the threads of a controlled run share one processor (processor.c).
 *
 * One thread runs at a time, so a second processor is no gain, and a loss at every hand-over: the
 * thread that is woken up is sent to an idle processor, which has to be woken up itself; that takes
 * several times as long as changing from one thread to another.
 *
 * The program does not see it: it is told of the processors that it was given.  Its children have
 * them all, and so has it as soon as it says itself which thread shall run where.
 */
#ifndef FW_RUNTIME_PROCESSOR_H
#define FW_RUNTIME_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>

/* The calling thread, and those that it makes, run where it runs now. */
void fw_processor_begin(void);
/* The calling thread, and what it makes from now on, runs where it likes. */
void fw_processor_leave(void);
/* All do, for good. */
void fw_processor_end(void);
/* Makes of what the kernel has told of a thread's processors what it would be without us.  True. */
bool fw_processor_told(size_t bytes, void *set);

#endif
