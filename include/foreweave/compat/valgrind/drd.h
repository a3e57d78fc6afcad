/*
 * drd.h - DRD's requests for programs built with `foreweave cc`.
 *
 * The real header comes first, if there is one; its ANNOTATE_ and DRD_ macros are then defined anew
 * (foreweave_annotations.h).
 */
#if defined __has_include_next
#if __has_include_next(<valgrind/drd.h>)
#include_next <valgrind/drd.h>
#endif
#endif

#include "foreweave_annotations.h"

#undef DRD_IGNORE_VAR
#undef DRD_STOP_IGNORING_VAR
#undef DRD_TRACE_VAR
#undef DRD_STOP_TRACING_VAR
#undef ANNOTATE_TRACE_MEMORY

#define DRD_IGNORE_VAR(x)              FOREWEAVE_EXPECT_RACE(&(x), sizeof(x), "")
#define DRD_STOP_IGNORING_VAR(x)       FOREWEAVE_NOTHING
#define DRD_TRACE_VAR(x)               FOREWEAVE_NOTHING
#define DRD_STOP_TRACING_VAR(x)        FOREWEAVE_NOTHING
#define ANNOTATE_TRACE_MEMORY(address) FOREWEAVE_NOTHING
