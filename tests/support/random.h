/*
 * random.h - random numbers for tests: the same everywhere for the same seed.
 *
 * xoshiro256** by Blackman and Vigna (public domain), started by splitmix64.
 */
#ifndef FW_TESTS_RANDOM_H
#define FW_TESTS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct fw_random {
    uint64_t s[4];
};

static inline uint64_t fw_random_mix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline void fw_random_init(struct fw_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->s[i] = fw_random_mix(&seed);
}

static inline uint64_t fw_random_next(struct fw_random *random)
{
    uint64_t *s = random->s, times5 = s[1] * 5, result = (times5 << 7 | times5 >> 57) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

/* 0 .. n - 1; n must not be 0.  The bias is below n / 2^32, good enough for tests. */
static inline uint32_t fw_random_below(struct fw_random *random, uint32_t n)
{
    return (uint32_t)((fw_random_next(random) >> 32) * n >> 32);
}

/* low .. high, both included. */
static inline uint32_t fw_random_between(struct fw_random *random, uint32_t low, uint32_t high)
{
    return low + fw_random_below(random, high - low + 1);
}

static inline bool fw_random_percent(struct fw_random *random, uint32_t percent)
{
    return fw_random_below(random, 100) < percent;
}

#endif
