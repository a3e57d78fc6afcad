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
    atomic_store(&fw_flight_own->interrupted, 0);
    atomic_store(&fw_flight_own->taken, false);
    fw_flight_own = NULL;
}

/* Both are shown before one of them is not. */
struct fw_flight_kept fw_flight_handler_begin(void)
{
    struct fw_flight_kept kept = { .own = fw_flights_are_on() ? fw_flight_own : NULL };

    if (!kept.own)
        return kept;
    kept.address = atomic_load(&kept.own->address);
    kept.interrupted = atomic_load(&kept.own->interrupted);
    if (kept.address)
        atomic_store(&kept.own->interrupted,
                     kept.interrupted ? FW_FLIGHT_ANYWHERE : kept.address);
    return kept;
}

void fw_flight_handler_end(const struct fw_flight_kept *kept)
{
    if (!kept->own || kept->own != fw_flight_own)
        return;
    atomic_store(&kept->own->address, kept->address);
    atomic_store(&kept->own->interrupted, kept->interrupted);
}

/* What a handler's end moves from one to the other is seen in one of three looks. */
static bool shows(const struct fw_flight *flight, uintptr_t begin, uintptr_t end)
{
    uintptr_t shown[3];

    shown[0] = atomic_load(&flight->address);
    shown[1] = atomic_load(&flight->interrupted);
    shown[2] = shown[1] ? 0 : atomic_load(&flight->address);
    for (unsigned i = 0; i < 3; i++)
        if (shown[i] == FW_FLIGHT_ANYWHERE || (shown[i] && shown[i] >= begin && shown[i] < end))
            return true;
    return false;
}

bool fw_flight_any(uintptr_t address, size_t bytes)
{
    uintptr_t begin = (address & ~(uintptr_t)3) - FW_FLIGHT_BYTES + 1, end = address + bytes + 3;
    uint32_t count = atomic_load(&most);

    if (atomic_load(&unshown))
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (&flights[i] != fw_flight_own && shows(&flights[i], begin, end))
            return true;
    return false;
}
