/* keep.c - see keep.h. */
#include "explore/keep.h"

#include "explore/failure.h"

/* --- taking ---------------------------------------------------------------------------------- */

static uint32_t add_place(struct fw_capture *capture, const struct fw_session *session,
                          uint32_t number)
{
    const struct fw_control_site *site = fw_session_site(session, number);
    const char *module = fw_session_module(session, site->module);
    struct fw_spot place;

    for (size_t i = 0; i < capture->places.len; i++) {
        const struct fw_spot *known = &capture->places.at[i];

        if (known->offset == site->offset && strcmp(known->operation, site->operation) == 0 &&
            strcmp(known->module, module) == 0)
            return (uint32_t)i;
    }
    place = (struct fw_spot) { fw_xstrdup(module), fw_xstrdup(site->operation), site->offset };
    fw_vec_push(&capture->places, place);
    return (uint32_t)capture->places.len - 1;
}

struct fw_capture *fw_capture_take(const struct fw_session *session)
{
    struct fw_capture *capture = fw_xcalloc(1, sizeof *capture);
    struct fw_error err;

    if (fw_turns_take(&capture->turns, session, &err) < 0 ||
        capture->turns.steps.len > FW_SCRIPT_STEPS) {
        fw_capture_destroy(capture);
        return NULL;
    }
    for (size_t i = 0; i < capture->turns.steps.len; i++) {
        struct fw_control_step *step = &capture->turns.steps.at[i];

        if (step->how == FW_STEP_SITE)
            step->site = add_place(capture, session, step->site);
    }
    return capture;
}

void fw_capture_destroy(struct fw_capture *capture)
{
    if (!capture)
        return;
    for (size_t i = 0; i < capture->places.len; i++)
        fw_place_release(&capture->places.at[i]);
    fw_vec_release(&capture->places);
    fw_turns_release(&capture->turns);
    free(capture);
}

/* --- keeping --------------------------------------------------------------------------------- */

void fw_capture_translate(const struct fw_capture *capture, size_t steps,
                          struct fw_session *session, struct fw_turns *turns)
{
    fw_vec_clear(&turns->paths);
    fw_vec_clear(&turns->steps);
    for (size_t i = 0; i < capture->turns.paths.len; i++)
        fw_vec_push(&turns->paths, capture->turns.paths.at[i]);
    for (size_t i = 0; i < capture->turns.steps.len && i < steps; i++) {
        struct fw_control_step step = capture->turns.steps.at[i];

        if (step.how == FW_STEP_SITE) {
            const struct fw_spot *place = &capture->places.at[step.site];

            step.site =
                fw_session_add_site(session, place->module, place->offset, place->operation);
        }
        fw_vec_push(&turns->steps, step);
    }
}

static bool is_same(void *context, const struct fw_session *session,
                    const struct fw_run_result *result)
{
    const struct fw_wanted *wanted = context;
    struct fw_trial trial = { .result = *result };
    struct fw_error err;
    bool same;

    fw_failure_judge(&trial, session, wanted->ok, &err);
    same = trial.failure && strcmp(trial.failure, wanted->failure) == 0;
    fw_trial_release(&trial);
    return same;
}

static char *copy_of(const char *text)
{
    return text ? fw_xstrdup(text) : NULL;
}

/* "exit 1", "deadlock": what comes before the details. */
static void set_shows(struct fw_script *script, const struct fw_run_result *result,
                      const struct fw_wanted *wanted)
{
    char text[64];

    fw_script_set_shows(script, fw_run_text(result, text));
    script->judge = copy_of(wanted->ok);
    script->setup = copy_of(wanted->escort.setup);
    script->drive = copy_of(wanted->escort.drive);
    script->teardown = copy_of(wanted->escort.teardown);
}

static int write_schedule(const struct fw_turns *turns, struct fw_session *session,
                          const struct fw_wanted *wanted, const char *path, struct fw_error *err)
{
    struct fw_anchors *anchors = fw_anchors_create();
    struct fw_run_result result;
    struct fw_script script;
    int status = fw_turns_anchor(turns, session, anchors, &script, &result, err);

    fw_session_classify(session, NULL, NULL);
    fw_session_forget_classes(session);
    if (status < 0 || !is_same((void *)wanted, session, &result)) {
        status = 1;
    } else {
        fw_script_set_program(&script, wanted->argv);
        set_shows(&script, &result, wanted);
        status = fw_script_write(&script, path, err);
    }
    fw_script_release(&script);
    fw_anchors_destroy(anchors);
    return status;
}

int fw_capture_keep(const struct fw_capture *capture, struct fw_session *session,
                    const struct fw_wanted *wanted, const char *path, struct fw_error *err)
{
    struct fw_same same = { is_same, (void *)wanted };
    struct fw_turns turns = { 0 };
    int status;

    fw_capture_translate(capture, SIZE_MAX, session, &turns);
    turns.away = capture->turns.away;
    status = fw_turns_shrink(&turns, session, &same, wanted->runs, err);
    if (status == 0)
        status = write_schedule(&turns, session, wanted, path, err);
    fw_turns_release(&turns);
    return status;
}
