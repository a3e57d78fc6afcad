/*
 * places.h - where traces go: names of files and folders.
 *
 *     -o t.fwt     t.fwt, and t.1.fwt, t.2.fwt ... for further processes
 *     default      .foreweave/DATE-TIME-PID/trace.fwt, and .foreweave/last points to that folder
 */
#ifndef FW_RECORD_PLACES_H
#define FW_RECORD_PLACES_H

#include "base/error.h"

/* Makes the folder of a new run and the link to it; *path is the caller's. */
int fw_place_default(char **path, struct fw_error *err);
/* The file of the nth process: 0 is the path itself.  The caller's. */
char *fw_place_numbered(const char *path, unsigned n);
/* Opens a regular file to be written from its beginning; -1 if that cannot be done. */
int fw_place_open(const char *path, struct fw_error *err);

#endif
