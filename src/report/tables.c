/* tables.c - numbers about a whole report; see report.h. */
#include "report/report.h"

uint64_t fw_report_findings(const struct fw_report *report)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < fw_engine_count(report->engine); i++)
        sum += fw_engine_outcome(report->engine, i)->findings;
    return sum;
}

bool fw_report_doubted(const struct fw_report *report, const struct fw_analysis *analysis)
{
    const struct fw_recording *recording = report->recording;

    if (!recording)
        return false;
    if (recording->inexact.len || recording->unmodelled.len)
        return true;
    /* What is adjacent shows where all of a part is told, and not where repeats are left out. */
    if (analysis->adjacent)
        return recording->known && !recording->partial.len;
    return recording->unhooked.len || recording->partial.len;
}

bool fw_report_spent(const struct fw_report *report)
{
    for (size_t i = 0; i < fw_engine_count(report->engine); i++)
        if (fw_engine_outcome(report->engine, i)->spent)
            return true;
    return false;
}

const char *fw_report_order_answer(const struct fw_report *report)
{
    if (fw_report_findings(report))
        return "feasible";
    return fw_report_spent(report) ? "undecided" : "infeasible";
}

struct fw_report_table fw_report_table(const struct fw_predict_counts *counts)
{
    const struct fw_solver_stats *solver = &counts->solver;

    return (struct fw_report_table) {
        .possible = counts->refuted + counts->asked + counts->left + counts->unreached,
        .infeasible_by_cycle =
            counts->refuted + solver->infeasible_at_once + solver->infeasible_closed,
        .feasible_without_choice = solver->feasible_at_once + solver->feasible_closed,
        .with_choice = solver->chosen,
        .choice_graphs = solver->choices,
        .per_witness = solver->chosen ? (double)solver->choices / (double)solver->chosen : 0,
    };
}
