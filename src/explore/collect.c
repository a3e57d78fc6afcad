/* collect.c - see collect.h. */
#include "explore/collect.h"

#include <ctype.h>
#include <unistd.h>

char *fw_collector_path(const char *folder, const char *failure)
{
    uint32_t hash = 2166136261u;
    char word[32];
    size_t used = 0;

    for (const char *at = failure; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    for (const char *at = failure; *at && *at != ':' && *at != '(' && used < sizeof word - 1; at++)
        if (isalnum((unsigned char)*at))
            word[used++] = *at;
        else if (used && word[used - 1] != '-')
            word[used++] = '-';
    while (used && word[used - 1] == '-')
        used--;
    word[used] = '\0';
    return fw_xasprintf("%s/%s-%04x.sched", folder, word, (hash ^ hash >> 16) & 0xffff);
}

void fw_collector_release(struct fw_collector *collector)
{
    fw_session_destroy(collector->session);
    collector->session = NULL;
}

bool fw_collector_has(const struct fw_collector *collector, const char *failure)
{
    char *path;
    bool has;

    if (!collector->folder)
        return false;
    path = fw_collector_path(collector->folder, failure);
    has = access(path, R_OK) == 0;
    free(path);
    return has;
}

static int write_file(struct fw_collector *collector, const struct fw_capture *capture,
                      struct fw_failure *failure, const char *path, struct fw_error *err)
{
    const struct fw_campaign_setup *setup = collector->setup;
    struct fw_wanted wanted = { failure->text, setup->ok, setup->session.argv };
    int status;

    if (!collector->session)
        collector->session = fw_session_create(&setup->session, err);
    if (!collector->session)
        return -1;
    status = fw_capture_keep(capture, collector->session, &wanted, path, err);
    if (status > 0)
        failure->unkept = "it did not fail again when it was repeated";
    return status;
}

int fw_collector_add(struct fw_collector *collector, const struct fw_capture *capture,
                     struct fw_failure *failure, struct fw_error *err)
{
    const struct fw_campaign_setup *setup = collector->setup;
    char *path;
    int status = 0;

    if (!collector->folder && setup->place)
        collector->folder = setup->place(setup->context);
    if (!collector->folder)
        return 0;
    path = fw_collector_path(collector->folder, failure->text);
    if (access(path, R_OK) == 0) { /* of the campaign that this one goes on with */
        failure->schedule = path;
        return 0;
    }
    if (capture)
        status = write_file(collector, capture, failure, path, err);
    else
        failure->unkept = "the run was too long";
    if (status == 0 && capture)
        failure->schedule = path;
    else
        free(path);
    return status < 0 ? -1 : 0;
}
