/*
 * fwt.h - the binary trace format, as bytes.  (docs/formats.md tells it in full.)
 */
#ifndef FW_TRACE_FWT_H
#define FW_TRACE_FWT_H

#define FW_FWT_MAGIC      "FWTRACE\n"
#define FW_FWT_MAGIC_SIZE 8

#endif
