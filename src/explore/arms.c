/* arms.c - see arms.h. */
#include "explore/arms.h"

#define SOMETIMES 8u /* one round of so many is for the one that was longest without */

static enum fw_arm oldest(const struct fw_arms *arms)
{
    enum fw_arm found = FW_ARMS;

    for (enum fw_arm i = 0; i < FW_ARMS; i++)
        if (!arms->over[i] && (found == FW_ARMS || arms->used[i] < arms->used[found]))
            found = i;
    return found;
}

/* What was not tried yet is worth a try, the hunt first; of equal ones it is the turn of the one
 * that was longest without. */
static bool is_better(const struct fw_arms *arms, enum fw_arm a, enum fw_arm b)
{
    if (!arms->used[a] != !arms->used[b])
        return !arms->used[a];
    if (arms->yield[a] != arms->yield[b])
        return arms->yield[a] > arms->yield[b];
    return arms->used[a] < arms->used[b];
}

static enum fw_arm best(const struct fw_arms *arms)
{
    enum fw_arm found = FW_ARMS;

    for (enum fw_arm i = 0; i < FW_ARMS; i++)
        if (!arms->over[i] && (found == FW_ARMS || is_better(arms, i, found)))
            found = i;
    return found;
}

void fw_arms_choose(struct fw_arms *arms)
{
    arms->rounds++;
    if (!arms->sure || arms->over[FW_ARM_HUNT])
        arms->now = arms->rounds % SOMETIMES ? best(arms) : oldest(arms);
    arms->used[arms->now] = arms->rounds;
}

void fw_arms_end(struct fw_arms *arms)
{
    arms->over[arms->now] = true;
    arms->now = best(arms);
    arms->used[arms->now] = arms->rounds;
}

void fw_arms_learn(struct fw_arms *arms, size_t runs, uint64_t fresh, bool sure)
{
    arms->sure = sure;
    arms->yield[arms->now] = runs ? (double)fresh / (double)runs : 0;
}

enum fw_control_strategy fw_arms_strategy(const struct fw_arms *arms)
{
    static const enum fw_control_strategy strategies[FW_ARMS] = {
        [FW_ARM_HUNT] = FW_STRATEGY_IROOT,
        [FW_ARM_PCT_LARGE] = FW_STRATEGY_PCT_LARGE,
        [FW_ARM_POS] = FW_STRATEGY_POS,
        [FW_ARM_PCT] = FW_STRATEGY_PCT,
        [FW_ARM_RANDOM] = FW_STRATEGY_RANDOM,
    };

    return strategies[arms->now];
}
