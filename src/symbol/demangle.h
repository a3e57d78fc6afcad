/*
 * demangle.h - names of C++ as people write them.
 *
 * Only for what has no debug information: that has readable names.  The C++ runtime library knows
 * how; it is loaded when the first such name comes up, and where there is none names stay as
 * linkers know them.
 */
#ifndef FW_SYMBOL_DEMANGLE_H
#define FW_SYMBOL_DEMANGLE_H

/* The caller frees it; NULL: it is no name of C++, or nobody can tell. */
char *fw_demangle(const char *name);

#endif
