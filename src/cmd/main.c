/* main.c - the program; see the table of commands. */
int main(void)
{
    return 0;
}
