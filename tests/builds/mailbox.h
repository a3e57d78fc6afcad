/* mailbox.h - one letter at a time from one thread to another; the project's shared library. */
#ifndef MAILBOX_H
#define MAILBOX_H

#ifdef __cplusplus
extern "C" {
#endif

void mailbox_put(int letter);
int mailbox_take(void);

#ifdef __cplusplus
}
#endif

#endif
