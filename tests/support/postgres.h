/*
 * postgres.h - a PostgreSQL server of the test's own: its data in a scratch folder, no network, no
 * rights.  It ends with the test, however that ends.
 */
#ifndef FW_TESTS_POSTGRES_H
#define FW_TESTS_POSTGRES_H

#include <sys/types.h>

struct fw_postgres {
    pid_t pid;
    char folder[64];
    char url[160]; /* of its first database */
    unsigned databases; /* given out */
};

/* -1: there is none on this machine, `why` says it. */
int fw_postgres_start(struct fw_postgres *pg, char *why, size_t size);
void fw_postgres_stop(struct fw_postgres *pg);

#define FW_POSTGRES_DATABASES 4u

/* The URL of an empty database: a new one, or the one that was given out longest ago. */
void fw_postgres_database(struct fw_postgres *pg, char *url, size_t size);

#endif
