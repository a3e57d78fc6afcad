/* session_told.c - see session.h: what a run has left, and sites. */
#include "explore/session_state.h"

#include <stdio.h>
#include <string.h>

const struct fw_control_head *fw_session_head(const struct fw_session *session)
{
    return session->head;
}

const struct fw_control_turn *fw_session_turns(const struct fw_session *session)
{
    return fw_session_area(session, session->head->turns_at);
}

uint32_t fw_session_turn_count(const struct fw_session *session)
{
    return session->late ? session->head->turns_quiet : session->head->turn_count;
}

const struct fw_control_step *fw_session_steps(const struct fw_session *session)
{
    return fw_session_area(session, session->head->steps_at);
}

const struct fw_control_trail *fw_session_trail(const struct fw_session *session)
{
    return fw_session_area(session, session->head->trail_at);
}

struct fw_control_seen *fw_session_seen(const struct fw_session *session)
{
    return fw_session_area(session, session->head->seen_at);
}

const struct fw_control_thread *fw_session_threads(const struct fw_session *session)
{
    return fw_session_area(session, session->head->threads_at);
}

struct fw_control_site *fw_session_site(const struct fw_session *session, uint32_t site)
{
    return (struct fw_control_site *)fw_session_area(session, session->head->sites_at) + site;
}

const char *fw_session_module(const struct fw_session *session, uint32_t module)
{
    const struct fw_control_module *modules = fw_session_area(session, session->head->modules_at);

    return modules[module].path;
}

const uint64_t *fw_session_new_pairs(const struct fw_session *session)
{
    const struct fw_control_pairs *pairs = fw_session_area(session, session->head->pairs_at);

    return pairs->added;
}

const char *fw_session_decisions(const struct fw_session *session)
{
    return fw_session_area(session, session->head->decisions_at);
}

static uint32_t add_module(struct fw_session *session, const char *path)
{
    struct fw_control_module *modules = fw_session_area(session, session->head->modules_at);
    uint32_t count = session->head->module_count;

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(modules[i].path, path) == 0)
            return i;
    if (count == FW_CONTROL_MODULES)
        return count - 1;
    snprintf(modules[count].path, sizeof modules[count].path, "%s", path);
    session->head->module_count = count + 1;
    return count;
}

uint32_t fw_session_add_site(struct fw_session *session, const char *module, uint64_t offset,
                             const char *operation)
{
    uint32_t at = add_module(session, module), count = session->head->site_count;
    struct fw_control_site *site;

    for (uint32_t i = 0; i < count; i++) {
        site = fw_session_site(session, i);
        if (site->offset == offset && site->module == at &&
            strncmp(site->operation, operation, sizeof site->operation - 1) == 0)
            return i;
    }
    if (count == FW_SESSION_SITES)
        return FW_CONTROL_NONE;
    site = fw_session_site(session, count);
    site->offset = offset;
    site->module = at;
    snprintf(site->operation, sizeof site->operation, "%s", operation);
    session->head->site_count = count + 1;
    return count;
}

unsigned fw_session_left_behind(const struct fw_session *session)
{
    return session->left_behind;
}

pid_t fw_session_process(const struct fw_session *session)
{
    return session->process;
}

const char *fw_session_output(const struct fw_session *session, size_t *bytes)
{
    *bytes = session->text_bytes;
    return session->text;
}

const char *fw_session_output_file(const struct fw_session *session)
{
    return session->output_file;
}

uint64_t fw_session_output_hash(const struct fw_session *session)
{
    return session->text_hash;
}

const char *fw_run_text(const struct fw_run_result *result, char text[64])
{
    static const char *const words[] = {
        [FW_RUN_DEADLOCK] = "deadlock",
        [FW_RUN_STUCK] = "stuck: all threads wait",
        [FW_RUN_TIMEOUT] = "hang",
        [FW_RUN_OVER] = "not over in time",
    };

    if (result->end == FW_RUN_DRIVER)
        snprintf(text, 64, "driver exit %d", result->code);
    else if (result->end == FW_RUN_EXITED)
        snprintf(text, 64, "exit %d", result->code);
    else if (result->end == FW_RUN_SIGNAL)
        snprintf(text, 64, "signal %d (%s)", result->code, strsignal(result->code));
    else
        snprintf(text, 64, "%s", words[result->end]);
    return text;
}
