/* fuzz_tiddle.c - any bytes as a Tiddle trace; see fuzz_reader.h. */
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(data, size, "tid");
}
