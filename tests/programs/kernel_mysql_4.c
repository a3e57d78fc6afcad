/*
 * kernel_mysql_4: the slave reads file and position of the log while they are being changed.
 *
 * expect: race A C
 * expect: race B D
 */
#include "program.h"

volatile int log_file = 1, log_position = 100;
int mixed;

static void *rotate(void *unused)
{
    log_file = 2; /* @A */
    log_position = 4; /* @B */
    return unused;
}

static void *next_event(void *unused)
{
    int file, position;

    file = log_file; /* @C */
    position = log_position; /* @D */
    mixed = (file == 1) != (position == 100);
    return unused;
}

int main(void)
{
    run2(rotate, next_event);
    printf("%d\n", mixed <= 1);
    return 0;
}
