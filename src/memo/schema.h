/*
 * schema.h - the version of a database, and how it is brought to ours.
 *
 * Version 0 is a database without any table.  A step makes the next version of the one before; all
 * steps that are needed are taken in one transaction, so a database is never between two versions,
 * and of several processes that want it one does it and the others find it done.
 *
 * Steps are never changed once they were released: a change is one more step.
 */
#ifndef FW_MEMO_SCHEMA_H
#define FW_MEMO_SCHEMA_H

#include "memo/sql.h"

struct fw_schema {
    const char *const *steps; /* SQL; of a column that numbers its rows @ID@ is the type,
                               * @TEXT@ of one with texts, which are compared byte by byte */
    unsigned version;         /* how many there are */
};

extern const struct fw_schema fw_memo_schema;

/*
 * Brings the database to the schema's version if `write`; without it, it must have that version.
 * -1: it has a newer one, or is not a memo database at all.
 */
int fw_schema_bring(struct fw_sql *sql, const struct fw_schema *schema, bool write,
                    struct fw_error *err);

#endif
