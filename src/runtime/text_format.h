/*
 * text_format.h - what the printf family reads and writes through its arguments.
 */
#ifndef FW_RUNTIME_TEXT_FORMAT_H
#define FW_RUNTIME_TEXT_FORMAT_H

#include <stdarg.h>
#include <stdint.h>

/* The format itself is read as well.  The arguments can be used again. */
void fw_tell_format(const char *format, va_list arguments, uintptr_t pc);

#endif
