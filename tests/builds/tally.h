/* tally.h - a count that many threads add to; the project's static library. */
#ifndef TALLY_H
#define TALLY_H

#ifdef __cplusplus
extern "C" {
#endif

void tally_add(int amount);
int tally_total(void);

#ifdef __cplusplus
}
#endif

#endif
