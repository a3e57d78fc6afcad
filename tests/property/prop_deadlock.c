/* prop_deadlock.c - the deadlocks that are proved are those of the brute-force oracle. */
#include "support/predicted.h"

int main(void)
{
    return fw_predicted_run("prop_deadlock", &fw_predictor_deadlock, 80000);
}
