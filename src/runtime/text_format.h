/*
 * text_format.h - what the printf family reads and writes through its arguments.
 */
#ifndef FW_RUNTIME_TEXT_FORMAT_H
#define FW_RUNTIME_TEXT_FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

/* Do the functions that print into memory do just that?  Not in programs that print with functions
 * of their own (register_printf_function), which they call back. */
bool fw_prints_memory(void);

/* By a function that works on memory alone (fw_tell), or may wait (fw_enter). */
enum fw_prints {
    FW_PRINTS_MEMORY,
    FW_PRINTS_OUT,
};

/* The format itself is read as well.  The arguments can be used again.  True: all of it is
 * understood, and nothing is written through its arguments. */
bool fw_tell_format(enum fw_prints how, const char *format, va_list arguments, uintptr_t pc);

#endif
