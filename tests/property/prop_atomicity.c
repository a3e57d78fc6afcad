/* prop_atomicity.c - the atomicity violations that are proved are those of the brute-force oracle.
 */
#include "support/predicted.h"

int main(void)
{
    return fw_predicted_run("prop_atomicity", &fw_predictor_atomicity, 40000);
}
