/*
 * prop_iroot_smt.c - on traces of up to 120 events, which are too long for brute force, the
 * solver's answers about instances of interleaving idioms are those of the SMT oracle.
 *
 * Instances are drawn at random.  Of what is feasible the verifier accepts the witness, and one in
 * four is put to Z3 as well; what is infeasible Z3 must refute.  Undecided may be one of 200, in
 * traces of three threads or more: there choices may not come to an end within the budget.
 */
#include "predict/solver.h"
#include "support/property.h"
#include "support/questions.h"
#include "support/smt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define QUESTIONS 200u /* tries for one, of each trace */
#define PROVED    4u   /* one of so many proved answers is checked with Z3 too */

static uint64_t asked, feasible, by_choice, undecided, unknown;

struct trial {
    const struct fw_trace *trace;
    struct fw_solver *solver;
    struct fw_smt *smt;
    struct fw_verifier *verifier;
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

static bool witness_holds(struct trial *trial, const struct fw_question *question)
{
    struct fw_witness witness = { question->claim, question->events, question->count, NULL, 0 };
    struct fw_verdict verdict;

    witness.order = fw_solver_witness(trial->solver, &witness.order_count);
    verdict = fw_verify(trial->verifier, &witness);
    return verdict.accepted || complain(trial, question, "witness rejected", verdict.reason);
}

static bool question_holds(struct trial *trial, const struct fw_question *question)
{
    enum fw_answer answer =
        fw_solver_ask(trial->solver, question->claim, question->events, question->count);
    enum fw_smt_answer truth;

    asked++;
    feasible += answer == FW_FEASIBLE;
    if (answer == FW_UNDECIDED) {
        undecided++;
        return fw_trace_thread_count(trial->trace) > 2 ||
               complain(trial, question, "left undecided", "");
    }
    if (answer == FW_FEASIBLE && !witness_holds(trial, question))
        return false;
    if (answer == FW_FEASIBLE && asked % PROVED)
        return true;
    truth = fw_smt_ask(trial->smt, question->claim, question->events, question->count);
    unknown += truth == FW_SMT_UNKNOWN;
    if (answer == FW_FEASIBLE && truth == FW_SMT_INFEASIBLE)
        return complain(trial, question, "outside of Z3's findings", "");
    if (answer == FW_INFEASIBLE && truth == FW_SMT_FEASIBLE)
        return complain(trial, question, "missed", "");
    return true;
}

static bool trace_holds(struct trial *trial, uint64_t seed)
{
    struct fw_oracle *oracle = fw_oracle_create(trial->trace); /* for its facts */
    struct fw_questions questions = { 0 };
    struct fw_random random;
    bool good = true;

    fw_random_init(&random, seed);
    fw_questions_draw_iroots(&questions, oracle, trial->trace->count, QUESTIONS, &random);
    for (size_t i = 0; good && i < questions.len; i++)
        good = question_holds(trial, &questions.at[i]);
    by_choice += fw_solver_stats(trial->solver).chosen;
    fw_vec_release(&questions);
    fw_oracle_destroy(oracle);
    return good;
}

static bool solver_and_z3_agree(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct fw_core_options options = { .iroots = true };
    struct trial trial = { .why = why, .why_size = why_size };
    struct fw_trace *trace =
        fw_load_text(sample->text, sample->size, "medium.std", false, why, why_size);
    struct fw_index *index;
    struct fw_core *core;
    bool good;

    if (!trace)
        return false;
    index = fw_index_create(trace);
    core = fw_core_create(index, &options);
    trial.trace = trace;
    trial.solver = fw_solver_create(core, NULL);
    trial.smt = fw_smt_create(trace, 0);
    trial.verifier = fw_verifier_create(trace);
    good = trace_holds(&trial, sample->seed);
    fw_verifier_destroy(trial.verifier);
    fw_smt_destroy(trial.smt);
    fw_solver_destroy(trial.solver);
    fw_core_destroy(core);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "medium",    "medium-locks", "medium-two",
                                            "few-locks", "medium-tries", "long-sections",
                                            NULL };
    int status = fw_property_run("prop_iroot_smt", profiles, 60, solver_and_z3_agree);

    printf("%" PRIu64 " asked, %" PRIu64 " feasible, %" PRIu64 " by choices, %" PRIu64
           " undecided, %" PRIu64 " too hard for Z3\n",
           asked, feasible, by_choice, undecided, unknown);
    return undecided > 1 + asked / 200 ? EXIT_FAILURE : status;
}
