/* flight.c - see flight.h. */
#include "guard/flight.h"

_Atomic bool fw_flights_on;
__thread struct fw_flight *fw_flight_own;

static struct fw_flight flights[FW_FLIGHTS];
static _Atomic uint32_t most;    /* of them that were ever taken */
static _Atomic uint32_t unshown; /* threads that found none */
static __thread bool is_unshown;

void fw_flight_begin(void)
{
    for (uint32_t i = 0; i < FW_FLIGHTS; i++) {
        uint32_t was = atomic_load(&most);

        if (atomic_exchange(&flights[i].taken, true))
            continue;
        while (was <= i && !atomic_compare_exchange_weak(&most, &was, i + 1))
            ;
        fw_flight_own = &flights[i];
        return;
    }
    is_unshown = true;
    atomic_fetch_add(&unshown, 1);
}

void fw_flight_end(void)
{
    if (is_unshown)
        atomic_fetch_sub(&unshown, 1);
    is_unshown = false;
    if (!fw_flight_own)
        return;
    atomic_store(&fw_flight_own->address, 0);
    atomic_store(&fw_flight_own->taken, false);
    fw_flight_own = NULL;
}

bool fw_flight_any(uintptr_t address, size_t bytes)
{
    uintptr_t begin = (address & ~(uintptr_t)3) - FW_FLIGHT_BYTES + 1, end = address + bytes + 3;
    uint32_t count = atomic_load(&most);

    if (atomic_load(&unshown))
        return true;
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t shown = atomic_load(&flights[i].address);

        if (&flights[i] != fw_flight_own && shown &&
            (shown == FW_FLIGHT_ANYWHERE || (shown >= begin && shown < end)))
            return true;
    }
    return false;
}
