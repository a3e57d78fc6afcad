#include <unistd.h>
int main(void)
{
    while (access("waits-here", F_OK) == 0)
        usleep(10000);
    return 0;
}
