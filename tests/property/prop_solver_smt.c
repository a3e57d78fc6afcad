/*
 * prop_solver_smt.c - on traces of up to 120 events the solver's answers are
 * those of the SMT oracle, and the predictors suspect all that is feasible.
 *
 * Questions of all claims, drawn at random.  A definite answer must be right:
 * what is feasible has a witness that the verifier accepts (and Z3, asked about
 * one in four, finds one too), what is infeasible has none for Z3 either.  The solver may leave a
 * question undecided only in traces of three threads or more, only if it is
 * not about nondeterminism, and only in one of 200 cases that are feasible.
 */
#include "predict/suspect.h"
#include "support/property.h"
#include "support/questions.h"
#include "support/smt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUESTIONS 60u /* of each claim and trace; FOREWEAVE_QUESTIONS */
#define PROVED    4u  /* one of so many proved answers is checked with Z3 too */
#define PAIRS     20u /* of which it is asked whether one must precede the other */

/* By claim: questions, those that are feasible, and what was not answered. */
static uint64_t asked[5], feasible[5], undecided[5], missed[5], unknown;

struct trial {
    const struct fw_trace *trace;
    struct fw_questions suspects; /* of the claim at hand, sorted; empty for orders */
    bool suspected;               /* they must hold all that is feasible */
    struct fw_core *core;
    struct fw_solver *solver;
    struct fw_smt *smt;
    struct fw_verifier *verifier;
    bool values;
    char *why;
    size_t why_size;
};

static bool complain(struct trial *trial, const struct fw_question *question, const char *what,
                     const char *detail)
{
    char text[128];

    snprintf(trial->why, trial->why_size, "%s: %s %s", what,
             fw_question_text(question, text, sizeof text), detail);
    return false;
}

static bool check_witness(struct trial *trial, const struct fw_question *question)
{
    struct fw_witness witness = { question->claim, question->events, question->count, NULL, 0 };
    struct fw_verdict verdict;

    witness.order = fw_solver_witness(trial->solver, &witness.order_count);
    verdict = fw_verify(trial->verifier, &witness);
    return verdict.accepted || complain(trial, question, "witness rejected", verdict.reason);
}

/* The solver gave up: is that allowed? */
static bool check_undecided(struct trial *trial, const struct fw_question *question,
                            enum fw_smt_answer truth)
{
    undecided[question->claim]++;
    if (truth == FW_SMT_FEASIBLE)
        missed[question->claim]++;
    if (question->claim != FW_CLAIM_NONDETERMINISM && fw_trace_thread_count(trial->trace) > 2)
        return true;
    return complain(trial, question, "left undecided", "");
}

/* What Z3 says; mostly the verifier has already said it. */
static enum fw_smt_answer find_truth(struct trial *trial, const struct fw_question *question,
                                     enum fw_answer answer)
{
    enum fw_smt_answer truth = FW_SMT_FEASIBLE;

    if (answer != FW_FEASIBLE || question->events[0] % PROVED == 0)
        truth = fw_smt_ask(trial->smt, question->claim, question->events, question->count);
    asked[question->claim]++;
    feasible[question->claim] += truth == FW_SMT_FEASIBLE;
    unknown += truth == FW_SMT_UNKNOWN;
    return truth;
}

static int by_events(const void *a, const void *b)
{
    const struct fw_question *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (uint32_t i = 0; i < x->count; i++)
        if (x->events[i] != y->events[i])
            return x->events[i] < y->events[i] ? -1 : 1;
    return 0;
}

static bool is_suspected(const struct trial *trial, const struct fw_question *question)
{
    return !trial->suspected ||
           (trial->suspects.len && bsearch(question, trial->suspects.at, trial->suspects.len,
                                           sizeof *question, by_events));
}

static bool check_feasible(struct trial *trial, const struct fw_question *question)
{
    if (!check_witness(trial, question))
        return false;
    return is_suspected(trial, question) ||
           complain(trial, question, "feasible, not suspected", "");
}

static bool check_question(struct trial *trial, const struct fw_question *question)
{
    enum fw_answer answer =
        fw_solver_ask(trial->solver, question->claim, question->events, question->count);
    enum fw_smt_answer truth;

    if (answer == FW_FEASIBLE && !check_feasible(trial, question))
        return false;
    truth = find_truth(trial, question, answer);
    if (answer == FW_UNDECIDED)
        return check_undecided(trial, question, truth);
    if (answer == FW_FEASIBLE && truth == FW_SMT_INFEASIBLE)
        return complain(trial, question, "outside of Z3's findings", "");
    if (answer == FW_INFEASIBLE && truth == FW_SMT_FEASIBLE)
        return complain(trial, question, "missed", "");
    return true;
}

/* Must the solver be able to answer it?  It is promised well-formed claims only. */
static bool is_well_formed(const struct fw_index *index, const struct fw_question *question)
{
    uint32_t instead = question->count == 2 ? question->events[1] : FW_NO_EVENT;

    if (question->claim == FW_CLAIM_NONDETERMINISM)
        return index->partner[question->events[0]] != instead;
    for (uint32_t i = 0; i < question->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (question->events[i] == question->events[k])
                return false;
    return true;
}

static uint32_t question_count(void)
{
    const char *text = getenv("FOREWEAVE_QUESTIONS");

    return text && *text ? (uint32_t)strtoul(text, NULL, 10) : QUESTIONS;
}

/* Blocks narrow down what is suspected of atomicity; that is for the predictor's own tests. */
static bool has_blocks(const struct fw_trace *trace)
{
    for (uint32_t e = 0; e < trace->count; e++)
        if (trace->events[e].kind == FW_BEGIN || trace->events[e].kind == FW_END)
            return true;
    return false;
}

static int by_position(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void add_suspects(struct trial *trial, const struct fw_unit *unit)
{
    for (size_t i = 0; i < unit->suspects.len; i++) {
        const struct fw_suspect *suspect = &unit->suspects.at[i];
        struct fw_question question = { suspect->claim, suspect->count, { 0 } };

        memcpy(question.events, unit->events.at + suspect->first,
               suspect->count * sizeof *question.events);
        if (suspect->claim == FW_CLAIM_RACE || suspect->claim == FW_CLAIM_DEADLOCK)
            qsort(question.events, question.count, sizeof *question.events, by_position);
        fw_vec_push(&trial->suspects, question);
    }
}

/* What the predictor of the claim wants to have checked with --pairs=all. */
static void gather_suspects(struct trial *trial, enum fw_claim claim)
{
    static const struct fw_predictor *const predictors[] = {
        [FW_CLAIM_RACE] = &fw_predictor_race,
        [FW_CLAIM_DEADLOCK] = &fw_predictor_deadlock,
        [FW_CLAIM_ATOMICITY] = &fw_predictor_atomicity,
        [FW_CLAIM_NONDETERMINISM] = &fw_predictor_nondet,
    };
    struct fw_predict_options options = { .pairs_all = true, .values = trial->values };
    const struct fw_predictor *predictor = predictors[claim];
    struct fw_unit unit = { 0 };
    void *state;

    fw_vec_clear(&trial->suspects);
    trial->suspected = predictor && !(claim == FW_CLAIM_ATOMICITY && has_blocks(trial->trace));
    if (!predictor)
        return;
    state = predictor->create(trial->core, &options);
    while (predictor->next(state, &unit))
        add_suspects(trial, &unit);
    predictor->destroy(state);
    fw_vec_release(&unit.events);
    fw_vec_release(&unit.suspects);
    if (trial->suspects.len)
        qsort(trial->suspects.at, trial->suspects.len, sizeof *trial->suspects.at, by_events);
}

static bool check_claim(struct trial *trial, enum fw_claim claim, struct fw_random *random)
{
    struct fw_questions questions = { 0 };
    bool good = true;

    if (claim == FW_CLAIM_ORDER)
        fw_questions_draw_orders(&questions, trial->trace, question_count(), random);
    else
        fw_questions_list(&questions, trial->trace, claim);
    fw_questions_sample(&questions, 0, question_count(), random);
    gather_suspects(trial, claim);
    for (size_t i = 0; good && i < questions.len; i++)
        if (is_well_formed(fw_core_index(trial->core), &questions.at[i]))
            good = check_question(trial, &questions.at[i]);
    fw_vec_release(&questions);
    return good;
}

/* What must precede another event never comes after it. */
static bool check_must_precede(struct trial *trial, struct fw_random *random)
{
    for (uint32_t i = 0; trial->trace->count && i < PAIRS; i++) {
        uint32_t a = fw_random_below(random, trial->trace->count);
        struct fw_question order = { FW_CLAIM_ORDER,
                                     2,
                                     { fw_random_below(random, trial->trace->count), a } };

        if (fw_core_must_precede(trial->core, a, order.events[0]) &&
            fw_smt_ask(trial->smt, FW_CLAIM_ORDER, order.events, 2) == FW_SMT_FEASIBLE)
            return complain(trial, &order, "can be otherwise", "");
    }
    return true;
}

static bool check_trace(struct trial *trial, uint64_t seed)
{
    struct fw_random random;

    fw_random_init(&random, seed ^ UINT64_C(0x736f6c766572));
    for (int claim = FW_CLAIM_RACE; claim <= FW_CLAIM_NONDETERMINISM; claim++)
        if (!check_claim(trial, (enum fw_claim)claim, &random))
            return false;
    return check_must_precede(trial, &random);
}

static bool solver_and_z3_agree(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct fw_core_options options = { .values = strstr(sample->profile, "values") != NULL };
    struct trial trial = { .values = options.values, .why = why, .why_size = why_size };
    struct fw_trace *trace =
        fw_load_text(sample->text, sample->size, "medium.std", false, why, why_size);
    struct fw_index *index;
    bool good;

    if (!trace)
        return false;
    index = fw_index_create(trace);
    trial.trace = trace;
    trial.core = fw_core_create(index, &options);
    trial.solver = fw_solver_create(trial.core, NULL);
    trial.smt = (options.values ? fw_smt_create_values : fw_smt_create)(trace, 0);
    trial.verifier = fw_verifier_create(trace);
    fw_verifier_use_values(trial.verifier, options.values);
    good = check_trace(&trial, sample->seed);
    fw_vec_release(&trial.suspects);
    fw_verifier_destroy(trial.verifier);
    fw_smt_destroy(trial.smt);
    fw_solver_destroy(trial.solver);
    fw_core_destroy(trial.core);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return good;
}

/* Of what is feasible at least 199 of 200 must have been found, claim by claim. */
static bool enough_found(void)
{
    static const char *const names[] = { "races", "deadlocks", "orders", "atomicity violations",
                                         "nondeterministic reads" };
    bool enough = true;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        printf("%s: %" PRIu64 " asked, %" PRIu64 " feasible, %" PRIu64 " undecided, %" PRIu64
               " of them feasible\n",
               names[i], asked[i], feasible[i], undecided[i], missed[i]);
        enough &= missed[i] * 200 <= feasible[i];
    }
    printf("%" PRIu64 " questions were too hard for Z3\n", unknown);
    return enough;
}

int main(void)
{
    static const char *const profiles[] = { "medium",    "medium-locks", "medium-two",
                                            "few-locks", "medium-tries", "medium-values",
                                            "long-sections", NULL };
    int status = fw_property_run("prop_solver_smt", profiles, 300, solver_and_z3_agree);

    return enough_found() ? status : EXIT_FAILURE;
}
