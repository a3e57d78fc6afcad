/* avoided.c - see avoided.h. */
#include "cmd/avoided.h"

#include "base/alloc.h"
#include "learn/violations.h"

#include <stdlib.h>

struct item {
    const struct fw_learnt_site *first;  /* ... */
    const struct fw_learnt_site *second; /* came right behind it; NULL: it came too early */
    bool happened, possible;
};

struct fw_avoided {
    struct fw_constraints *log; /* has the sites */
    FW_VEC(struct item) items;
    struct fw_accepted transactions;
    const struct fw_trace *trace; /* that is asked about; NULL: not yet */
    struct fw_iroot_source source;
};

static bool is_line(const struct fw_learnt_site *site, const struct fw_trace *trace,
                    uint32_t position)
{
    const struct fw_event *event = &trace->events[position];

    return fw_is_class(event->kind, FW_CLASS_CONFLICT) && event->site &&
           fw_spot_is_at(&site->at, fw_symbols_name(trace->symbols, FW_SPACE_SITE, event->site));
}

static bool is_event(const struct fw_learnt_site *site, const struct fw_trace *trace,
                     uint32_t position)
{
    return fw_is_write(trace->events[position].kind) == (site->does == FW_LEARNT_WRITE) &&
           is_line(site, trace, position);
}

static bool is_item(const struct item *item, const struct fw_trace *trace, uint32_t a, uint32_t b)
{
    return item->second ? is_event(item->first, trace, a) && is_event(item->second, trace, b)
                        : b < a && is_line(item->first, trace, a);
}

static bool is_wanted(void *context, const struct fw_trace *trace, uint32_t a, uint32_t b,
                      bool known)
{
    struct fw_avoided *avoided = context;
    bool wanted = false;

    avoided->trace = trace;
    for (size_t i = 0; i < avoided->items.len; i++) {
        struct item *item = &avoided->items.at[i];

        if (!is_item(item, trace, a, b) || (!item->second && known))
            continue;
        item->happened |= known;
        wanted = true;
    }
    return wanted;
}

static void note_answer(void *context, const struct fw_iroot *iroot, enum fw_answer answer,
                        const struct fw_prediction *proved)
{
    struct fw_avoided *avoided = context;

    (void)iroot;
    (void)answer;
    for (size_t i = 0; proved && i < avoided->items.len; i++)
        avoided->items.at[i].possible |= is_item(&avoided->items.at[i], avoided->trace,
                                                 proved->events[0], proved->events[1]);
}

static void take_site(struct fw_avoided *avoided, uint32_t site)
{
    const struct fw_learnt_site *access = fw_constraints_get(avoided->log, site);
    const uint32_t *before;
    size_t count = fw_constraints_pset(avoided->log, site, &before);

    for (size_t i = 0; i < count; i++)
        fw_vec_push(&avoided->items,
                    ((struct item) { .first = fw_constraints_get(avoided->log, before[i]),
                                     .second = access }));
    if (fw_constraints_allowed(avoided->log, site))
        fw_vec_push(&avoided->items, ((struct item) { .first = access }));
}

struct fw_avoided *fw_avoided_read(const char *path, struct fw_error *err)
{
    struct fw_avoided *avoided = fw_xcalloc(1, sizeof *avoided);

    avoided->log = fw_constraints_create();
    avoided->source = (struct fw_iroot_source) {
        .wanted = is_wanted, .answered = note_answer, .context = avoided
    };
    if (fw_violations_accept(avoided->log, path, &avoided->transactions, err) < 0) {
        fw_avoided_destroy(avoided);
        return NULL;
    }
    for (uint32_t i = 0; i < fw_constraints_site_count(avoided->log); i++)
        take_site(avoided, i);
    return avoided;
}

void fw_avoided_destroy(struct fw_avoided *avoided)
{
    if (!avoided)
        return;
    fw_vec_release(&avoided->items);
    fw_constraints_destroy(avoided->log);
    free(avoided);
}

const struct fw_iroot_source *fw_avoided_source(const struct fw_avoided *avoided)
{
    return &avoided->source;
}

struct fw_avoided_counts fw_avoided_count(const struct fw_avoided *avoided)
{
    struct fw_avoided_counts counts = { .all = avoided->items.len,
                                         .transactions = avoided->transactions.lines };

    for (size_t i = 0; i < avoided->items.len; i++) {
        counts.happened += avoided->items.at[i].happened;
        counts.possible += avoided->items.at[i].possible && !avoided->items.at[i].happened;
    }
    return counts;
}
