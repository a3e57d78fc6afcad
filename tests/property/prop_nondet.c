/* prop_nondet.c - the nondeterministic reads that are proved are those of the brute-force oracle.
 */
#include "support/predicted.h"

int main(void)
{
    return fw_predicted_run("prop_nondet", &fw_predictor_nondet, 80000);
}
