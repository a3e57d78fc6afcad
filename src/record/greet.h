/*
 * greet.h - where processes of the program come to be recorded: a socket in the abstract namespace.
 */
#ifndef FW_RECORD_GREET_H
#define FW_RECORD_GREET_H

#include "base/error.h"
#include "runtime/wire.h"

#include <stdbool.h>

#define FW_WIRE_NAME_SIZE 64

struct fw_door {
    int fd;
    char name[FW_WIRE_NAME_SIZE]; /* what the runtime is told as `wire` */
};

struct fw_guest {
    int fd; /* of its connection */
    int pid; /* as we see it, whatever its namespace */
    struct fw_wire_hello hello;
};

int fw_door_open(struct fw_door *door, struct fw_error *err);
void fw_door_close(struct fw_door *door);

/* A process that has connected and said who it is; false: nobody (more). */
bool fw_door_guest(struct fw_door *door, struct fw_guest *guest);
/* Gives it the memory (-1: it is not recorded) and ends the conversation. */
void fw_guest_welcome(struct fw_guest *guest, int memory, uint64_t bytes);

#endif
