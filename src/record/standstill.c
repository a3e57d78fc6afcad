/* standstill.c - see standstill.h. */
#include "record/standstill.h"

#include "record/spool.h"

#include <inttypes.h>

static void look_at(struct fw_standstill *s, const struct fw_wire_unit *record)
{
    switch (fw_wire_kind(record)) {
    case FW_WIRE_MODULE:
        fw_modules_load(&s->modules, record);
        break;
    case FW_WIRE_UNLOAD:
        fw_modules_unload(&s->modules, record);
        break;
    case FW_WIRE_STUCK:
        s->kind = record[1].a <= FW_WIRE_STUCK_ALL ? (enum fw_wire_stuck)record[1].a
                                                   : FW_WIRE_STUCK_NOT;
        fw_vec_clear(&s->threads);
        break;
    case FW_WIRE_STUCK_AT:
        fw_vec_push(&s->threads,
                    ((struct fw_stander) { .thread = (uint32_t)record[1].a,
                                           .kind = (enum fw_wire_wait)(record[1].a >> 32 & 0xff),
                                           .object = fw_wire_operand(record),
                                           .pc = fw_wire_pc(record),
                                           .held_by = record[1].b }));
        break;
    default:
        break;
    }
}

int fw_standstill_read(struct fw_standstill *s, const char *path, struct fw_error *err)
{
    struct fw_spool_reader spool;
    struct fw_input input;
    int status;

    memset(s, 0, sizeof *s);
    if (fw_input_open(&input, path, err) < 0)
        return -1;
    status = fw_spool_open(&spool, &input, err);
    while (status == 0 && fw_spool_next(&spool, err) > 0)
        for (size_t at = 0; at < spool.units.len;
             at += 1 + (size_t)fw_wire_more(&spool.units.at[at]))
            look_at(s, &spool.units.at[at]);
    fw_spool_close(&spool);
    fw_input_close(&input);
    return status;
}

void fw_standstill_release(struct fw_standstill *s)
{
    fw_vec_release(&s->threads);
    fw_modules_release(&s->modules);
}

char *fw_standstill_name(const struct fw_standstill *s, uint64_t address)
{
    const struct fw_module *module = fw_modules_find(&s->modules, address);

    if (!module)
        return fw_xasprintf("0x%" PRIx64, address);
    return fw_xasprintf("%s+0x%" PRIx64, module->path, address - module->base);
}
