/*
 * handlers.c - see region.h: handlers of the program end regions.
 *
 * What a handler writes is its thread's, so that words say nothing about it, and its hooks may have
 * been made nothing: going back over a region that it came in would take that back as well.  All
 * signals are blocked while a thread goes back, so a handler comes before or behind.
 */
#include "guard/flight.h"
#include "guard/region.h"
#include "runtime/signals.h"

#include <errno.h>

/* Its own region is none of what it has interrupted either. */
static void around(void (*call)(void *what), void *what, const ucontext_t *context)
{
    struct fw_flight_kept kept = fw_flight_handler_begin();
    int error = errno;

    (void)context;
    fw_region_end();
    errno = error;
    call(what);
    error = errno;
    fw_region_end();
    fw_flight_handler_end(&kept);
    errno = error;
}

void fw_regions_follow_handlers(void)
{
    fw_signals_around = around;
    fw_signals_begin();
}
