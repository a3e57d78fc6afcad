/*
 * prop_smt.c - the SMT oracle says what the brute-force oracle says.
 *
 * On small random traces, claim by claim: a claim that Z3 finds feasible has a
 * witness that the verifier accepts; one that it finds infeasible is not among
 * the brute-force oracle's findings.  With and without values.
 */
#include "support/oracle.h"
#include "support/property.h"
#include "support/questions.h"
#include "support/smt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_STATES 100000u
#define QUESTIONS  24u /* of each claim and trace */
#define ORDERS     6u

static uint64_t asked[5], feasible[5], too_large;

struct trial {
    const struct fw_trace *trace;
    struct fw_oracle *oracle;
    struct fw_smt *smt;
    struct fw_verifier *verifier;
    char *why;
    size_t why_size;
};

static bool complain(struct trial *trial, const struct fw_question *question, const char *what)
{
    char text[128];

    snprintf(trial->why, trial->why_size, "%s: %s", what,
             fw_question_text(question, text, sizeof text));
    return false;
}

static bool has_finding(const struct fw_oracle_findings *findings,
                        const struct fw_question *question)
{
    for (size_t i = 0; i < findings->len; i++)
        if (findings->at[i].event_count == question->count &&
            memcmp(findings->at[i].events, question->events,
                   question->count * sizeof *question->events) == 0)
            return true;
    return false;
}

/* What brute force says. */
static bool is_feasible(struct trial *trial, const struct fw_oracle_findings *findings,
                        const struct fw_question *question)
{
    struct fw_oracle_finding finding = { 0 };
    bool found;

    if (question->claim != FW_CLAIM_ORDER)
        return has_finding(findings, question);
    found = fw_oracle_order(trial->oracle, question->events, question->count, &finding);
    if (found)
        fw_oracle_finding_release(&finding);
    return found;
}

static bool check_question(struct trial *trial, const struct fw_oracle_findings *findings,
                           const struct fw_question *question)
{
    enum fw_smt_answer answer =
        fw_smt_ask(trial->smt, question->claim, question->events, question->count);
    struct fw_witness witness = { question->claim, question->events, question->count, NULL, 0 };
    bool truth = is_feasible(trial, findings, question);

    asked[question->claim]++;
    if (answer == FW_SMT_UNKNOWN)
        return complain(trial, question, "Z3 gives up");
    if (answer == FW_SMT_INFEASIBLE)
        return !truth || complain(trial, question, "Z3 misses");
    feasible[question->claim]++;
    witness.order = fw_smt_witness(trial->smt, &witness.order_count);
    if (!fw_verify(trial->verifier, &witness).accepted)
        return complain(trial, question, "the witness is rejected");
    /* Brute force lists no atomicity violations outside of blocks, but knows them when shown. */
    return truth || fw_oracle_judge(trial->oracle, &witness) ||
           complain(trial, question, "only Z3 finds");
}

static bool check_claim(struct trial *trial, enum fw_claim claim, struct fw_random *random)
{
    struct fw_oracle_findings findings = { 0 };
    struct fw_questions questions = { 0 };
    bool good = true;

    if (claim == FW_CLAIM_ORDER) {
        fw_questions_draw_orders(&questions, trial->trace, ORDERS, random);
    } else {
        fw_oracle_find(trial->oracle, claim, true, &findings);
        fw_questions_list(&questions, trial->trace, claim);
        for (size_t i = 0; i < findings.len; i++) { /* whatever the list of questions may lack */
            struct fw_question question = { claim, findings.at[i].event_count, { 0 } };

            memcpy(question.events, findings.at[i].events, question.count * sizeof(uint32_t));
            fw_vec_push(&questions, question);
        }
        fw_questions_sample(&questions, 0, QUESTIONS, random);
    }
    for (size_t i = 0; good && i < questions.len; i++)
        good = check_question(trial, &findings, &questions.at[i]);
    fw_vec_release(&questions);
    fw_oracle_findings_release(&findings);
    return good;
}

static bool check_trace(struct trial *trial, struct fw_random *random)
{
    if (fw_oracle_explore(trial->oracle, MAX_STATES) < 0) {
        too_large++;
        return true;
    }
    for (int claim = FW_CLAIM_RACE; claim <= FW_CLAIM_NONDETERMINISM; claim++)
        if (!check_claim(trial, (enum fw_claim)claim, random))
            return false;
    return true;
}

/* Half of the samples with values. */
static bool z3_and_brute_force_agree(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct trial trial = { .why = why, .why_size = why_size };
    struct fw_trace *trace = fw_load_sample(sample, why, why_size);
    struct fw_random random;
    bool values, good;

    if (!trace)
        return false;
    fw_random_init(&random, sample->seed ^ UINT64_C(0x736d74));
    values = fw_random_percent(&random, 50);
    trial.trace = trace;
    trial.oracle = fw_oracle_create(trace);
    trial.verifier = fw_verifier_create(trace);
    trial.smt = (values ? fw_smt_create_values : fw_smt_create)(trace, 0);
    fw_oracle_use_values(trial.oracle, values);
    fw_verifier_use_values(trial.verifier, values);
    good = check_trace(&trial, &random);
    fw_smt_destroy(trial.smt);
    fw_verifier_destroy(trial.verifier);
    fw_oracle_destroy(trial.oracle);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const names[] = { "races", "deadlocks", "orders", "atomicity violations",
                                         "nondeterministic reads" };
    static const char *const profiles[] = { "locks",     "branches",   "two",      "forks",
                                            "shared",    "waits",      "monitors", "semaphores",
                                            "barriers",  "atomics",    "blocks",   "heap",
                                            "deadlocks", "everything", "tiny",     "values",
                                            NULL };
    int status = fw_property_run("prop_smt", profiles, 2000, z3_and_brute_force_agree);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        printf("%s%" PRIu64 " of %" PRIu64 " %s", i ? ", " : "feasible: ", feasible[i], asked[i],
               names[i]);
    printf("; %" PRIu64 " traces too large\n", too_large);
    return status;
}
