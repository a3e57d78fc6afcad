/* prop_race.c - the races that are proved are those of the brute-force oracle. */
#include "support/predicted.h"

int main(void)
{
    return fw_predicted_run("prop_race", &fw_predictor_race, 80000);
}
