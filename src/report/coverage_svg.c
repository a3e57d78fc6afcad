/*
 * coverage_svg.c - see coverage.h: the growth curve as a picture.
 *
 * Steps, since a run exposes all it exposes at its end.  A line for all iRoots, one for each idiom,
 * and a dashed one for what the estimator expects.  Lines are named at their ends, so that the
 * picture can be read without its colours.
 */
#include "report/coverage.h"

#include <inttypes.h>
#include <stdlib.h>

#define WIDTH  760.0
#define HEIGHT 440.0
#define LEFT   60.0
#define RIGHT  90.0 /* room for the names of the lines */
#define TOP    40.0
#define BOTTOM 50.0

struct plot {
    struct fw_output *out;
    double runs, most; /* at the ends of the axes */
};

static const char *const colours[FW_IDIOMS + 1] = { "#222222", "#0072b2", "#d55e00", "#009e73",
                                                    "#cc79a7", "#a6761d", "#7570b3" };

static double x_of(const struct plot *plot, double run)
{
    return LEFT + run / plot->runs * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct plot *plot, double count)
{
    return HEIGHT - BOTTOM - count / plot->most * (HEIGHT - TOP - BOTTOM);
}

static void text(struct fw_output *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '<' || *s == '>' || *s == '&' || *s == '"')
            fw_output_printf(out, "&#%d;", *s);
        else if ((unsigned char)*s < 0x20)
            fw_output_text(out, " ");
        else
            fw_output_bytes(out, s, 1);
    }
}

/* About five of them: 1, 2 or 5 times a power of ten. */
static double tick(double most)
{
    double power = 1, times;

    while (power * 10 <= most / 5)
        power *= 10;
    times = most / 5 / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static void axes(const struct plot *plot)
{
    double across = tick(plot->runs), up = tick(plot->most);

    fw_output_printf(plot->out, "<g stroke=\"#dddddd\" fill=\"#555555\">\n");
    for (double y = 0; y <= plot->most; y += up)
        fw_output_printf(plot->out,
                         "<path d=\"M%.1f %.1fH%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                         "text-anchor=\"end\" stroke=\"none\">%.0f</text>\n",
                         LEFT, y_of(plot, y), WIDTH - RIGHT, LEFT - 6, y_of(plot, y) + 4, y);
    for (double x = 0; x <= plot->runs; x += across)
        fw_output_printf(plot->out,
                         "<path d=\"M%.1f %.1fv5\"/><text x=\"%.1f\" y=\"%.1f\" "
                         "text-anchor=\"middle\" stroke=\"none\">%.0f</text>\n",
                         x_of(plot, x), HEIGHT - BOTTOM, x_of(plot, x), HEIGHT - BOTTOM + 18, x);
    fw_output_printf(plot->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                                "stroke=\"none\">runs</text>\n</g>\n",
                     (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12);
}

/* Lines that end at the same height would have their names on top of each other. */
struct end {
    double y;
    unsigned idiom;
    uint64_t total;
};

static int compare_ends(const void *a, const void *b)
{
    const struct end *left = a, *right = b;

    if (left->y != right->y)
        return left->y < right->y ? 1 : -1; /* from below */
    return (int)right->idiom - (int)left->idiom;
}

static void names(const struct plot *plot, struct end *ends, unsigned count)
{
    double free = HEIGHT;

    qsort(ends, count, sizeof *ends, compare_ends);
    for (unsigned i = 0; i < count; i++) {
        double y = ends[i].y + 4 < free ? ends[i].y + 4 : free;

        free = y - 13;
        fw_output_printf(plot->out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">",
                         WIDTH - RIGHT + 6, y, colours[ends[i].idiom]);
        if (ends[i].idiom)
            fw_output_printf(plot->out, "idiom %u: %" PRIu64 "</text>\n", ends[i].idiom,
                             ends[i].total);
        else
            fw_output_printf(plot->out, "all: %" PRIu64 "</text>\n", ends[i].total);
    }
}

static uint64_t line(const struct plot *plot, const struct fw_coverage *c, unsigned idiom)
{
    uint64_t total = 0, at = 0;

    fw_output_printf(plot->out,
                     "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" d=\"M%.1f %.1f",
                     colours[idiom], idiom && !c->idiom ? "1.2" : "2.4", x_of(plot, 0),
                     y_of(plot, 0));
    for (size_t i = 0; i < c->runs.len; i++) {
        at += c->runs.at[i].before + 1;
        if (!c->runs.at[i].fresh[idiom])
            continue;
        total += c->runs.at[i].fresh[idiom];
        fw_output_printf(plot->out, "H%.1fV%.1f", x_of(plot, (double)at),
                         y_of(plot, (double)total));
    }
    fw_output_printf(plot->out, "H%.1f\"/>\n", x_of(plot, plot->runs));
    return total;
}

static void lines(const struct plot *plot, const struct fw_coverage *c)
{
    struct end ends[FW_IDIOMS + 1];
    unsigned count = 0;

    for (unsigned i = 0; i <= FW_IDIOMS; i++) {
        uint64_t total;

        if (i != c->idiom && (c->idiom || !c->counts[i].state[FW_MEMO_EXPOSED]))
            continue;
        total = line(plot, c, i);
        ends[count++] = (struct end) { y_of(plot, (double)total), i, total };
    }
    names(plot, ends, count);
}

static void expected(const struct plot *plot, const struct fw_coverage *c)
{
    double y = y_of(plot, c->saturation.all);

    fw_output_printf(plot->out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#222222\" "
                                "stroke-dasharray=\"6 4\"/>\n<text x=\"%.1f\" y=\"%.1f\" "
                                "fill=\"#222222\">expected (Chao2): %.1f</text>\n",
                     LEFT, y, WIDTH - RIGHT, LEFT + 6, y - 5, c->saturation.all);
}

void fw_coverage_svg(struct fw_output *out, const struct fw_coverage *c)
{
    struct plot plot = { out, c->all_runs ? (double)c->all_runs : 1, 1 };
    uint64_t total = c->counts[c->idiom].state[FW_MEMO_EXPOSED];

    if (plot.most < (double)total)
        plot.most = (double)total;
    if (c->saturation.known && plot.most < c->saturation.all)
        plot.most = c->saturation.all;
    plot.most *= 1.05;
    fw_output_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
                          "width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" "
                          "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
                          "fill=\"#ffffff\"/>\n<text x=\"%.0f\" y=\"22\" font-size=\"15\">",
                     WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT);
    text(out, c->program.name);
    fw_output_printf(out, ": iRoots exposed</text>\n");
    axes(&plot);
    lines(&plot, c);
    if (c->saturation.known)
        expected(&plot, c);
    fw_output_printf(out, "</svg>\n");
}
