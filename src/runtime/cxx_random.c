/*
 * cxx_random.c - std::random_device, which asks the processor, or the kernel by means of its own.
 */
#include "runtime/control.h"
#include "runtime/library.h"

CXX(random, "_ZNSt13random_device9_M_getvalEv", "GLIBCXX_3.4.18", unsigned, (void *device))
{
    fw_chance_random();
    return real_cxx_random()(device);
}
