/*
 * channel.h - what the kernel carries from thread to thread: pipes, sockets, counters, terminals,
 * queues, children, timers.
 *
 * A *channel* is a small number that stands for one of these; 0 is none.  Its state is an object:
 * whoever puts something into it comes before whoever gets something out of it later (BEFORE,
 * AFTER).  That is more than the bytes say, and never less.  Files are no channels.
 *
 * All of it is for who has the token; `t` may be NULL, then nothing happens.  errno is left alone.
 */
#ifndef FW_RUNTIME_CHANNEL_H
#define FW_RUNTIME_CHANNEL_H

#include "runtime/rt.h"

#include <sys/socket.h>
#include <sys/types.h>

/* One channel for all of a kind. */
enum {
    FW_CHANNEL_OTHERS = 1, /* nameless files of which it is not known how they came */
    FW_CHANNEL_CHILDREN,   /* processes that this one has made */
    FW_CHANNEL_SIGNALS,    /* signals that are read from descriptors; they tell of children too */
    FW_CHANNEL_TERMINALS,  /* whose other side this process has as well */
    FW_CHANNEL_LOCKS,      /* locks of files: given up before they are taken */
    FW_CHANNEL_FIRST,
};

/* --- which (io_channel.c) --------------------------------------------------------------------- */

/* What reading from the descriptor, or waiting for that, gets its bytes from. */
unsigned fw_channel_in(int fd);
/* Is it known already that there is no channel behind it?  For who does not want to enter. */
bool fw_channel_is_none(int fd);
/* Can nobody but threads of this process make it ready? */
bool fw_channel_is_inner(int fd);
/* What writing puts them into; address: NULL, or where a datagram goes. */
unsigned fw_channel_out(int fd, const void *address, socklen_t length);
/* Is it known that only threads of this process put something in, and take it out? */
enum fw_within { FW_WITHIN_NOT, FW_WITHIN_AT_ONCE, FW_WITHIN_NET /* bytes may be under way */ };
enum fw_within fw_channel_within(int fd);
/* The one of a key; made if there is none yet.  Kinds of keys are told apart by `kind`. */
unsigned fw_channel_of(unsigned kind, uint64_t a, uint64_t b);
bool fw_channel_known(unsigned kind, uint64_t a, uint64_t b);
enum {
    FW_KEY_PIPE = 1,
    FW_KEY_SOCKET,
    FW_KEY_CONNECTION,
    FW_KEY_ARRIVALS,
    FW_KEY_DATAGRAMS,
    FW_KEY_WATCH,
    FW_KEY_LISTENERS, /* these are asked for: it must be known whether they are there */
    FW_KEY_TARGETS,
    FW_KEY_QUEUE,
};

/* --- how they come and go --------------------------------------------------------------------- */

void fw_channel_made(int fd, int other); /* a socket pair */
void fw_channel_nameless(int fd, unsigned channel); /* eventfd and relatives; 0: one of its own */
void fw_channel_counter(int fd); /* that is an eventfd */
void fw_channel_set(int fd); /* that is one of descriptors */
void fw_channel_copied(struct fw_thread *t, int from, int to, uintptr_t pc);
/* The descriptor is about to be closed; those from first to last are, or nearly. */
void fw_channel_closing(struct fw_thread *t, int fd, uintptr_t pc);
void fw_channel_closed(unsigned first, unsigned last);
/* Files have been locked: closing them gives such locks up. */
extern bool fw_channel_locks;
/* Descriptors may mean something else from now on. */
void fw_channel_changed(void);
/* Descriptors in a message: who gets them knows them by other numbers. */
void fw_channel_passed(struct fw_thread *t, const struct msghdr *message, uintptr_t pc);
/* This process has the masters of terminals. */
void fw_channel_terminals(void);
/* A child is about to be made, by whatever means. */
void fw_channel_forks(struct fw_thread *t, uintptr_t pc);
bool fw_channel_has_children(void);
/* A signal is on its way, which may be read from a descriptor. */
void fw_channel_signal(struct fw_thread *t, uintptr_t pc);

/* --- connections (io_address.c) --------------------------------------------------------------- */

/* The channel from which a socket gets what it gets, if none was given to it.  For datagrams that
 * is the one of its own address; others have the one of where they are sent. */
unsigned fw_channel_socket(int fd, bool *datagrams);
unsigned fw_channel_datagrams(int fd, const void *address, socklen_t length);
/* Gives a socket its channel (io_channel.c). */
void fw_channel_set_socket(int fd, unsigned channel);
/* The same for a socket: does it talk to one of this process, and never gives up? */
enum fw_within fw_channel_socket_within(int fd, bool connected);
void fw_channel_listens(struct fw_thread *t, int fd, uintptr_t pc);
/* True: a thread of this process listens there, so it hardly takes long. */
bool fw_channel_connecting(struct fw_thread *t, const void *address, socklen_t length,
                           uintptr_t pc);
void fw_channel_connected(struct fw_thread *t, int fd, const void *address, socklen_t length,
                          uintptr_t pc);
void fw_channel_accepted(struct fw_thread *t, int fd, uintptr_t pc);

/* An address that a call stores: how much room the program has for it, asked before; what was
 * stored, for the length that comes back is that of the whole address. */
socklen_t fw_address_room(const void *address, const socklen_t *length);
void fw_address_stored(struct fw_thread *t, const void *address, const socklen_t *length,
                       socklen_t room, uintptr_t pc);

/* --- use -------------------------------------------------------------------------------------- */

void fw_channel_before(struct fw_thread *t, unsigned channel, uintptr_t pc);
void fw_channel_after(struct fw_thread *t, unsigned channel, uintptr_t pc);

/* Stdio writes into it; all that is left in stdio's buffers is about to be written. */
void fw_channel_streamed(unsigned channel);
void fw_channel_flushing(struct fw_thread *t, uintptr_t pc);

/* Around a call that reads; `got` is what it returned, with errno. */
void fw_channel_reading(struct fw_thread *t, unsigned channel, bool waits, uintptr_t pc);
void fw_channel_read(struct fw_thread *t, unsigned channel, ssize_t got, uintptr_t pc);
/* Around one that writes; it may have to wait until there is room.  `sent` is what it returned,
 * with errno, and `asked` what it was to be. */
void fw_channel_writing(struct fw_thread *t, unsigned channel, bool waits, uintptr_t pc);
void fw_channel_wrote(struct fw_thread *t, unsigned channel, ssize_t sent, size_t asked,
                      uintptr_t pc);
/* Around a call that reads from one and writes into the other. */
void fw_channel_moves(unsigned in, unsigned out);
void fw_channel_moved(unsigned in, unsigned out);
/* Somebody waits for room, or has found it. */
void fw_channel_wants_room(int fd);
void fw_channel_has_room(struct fw_thread *t, int fd, uintptr_t pc);

#endif
