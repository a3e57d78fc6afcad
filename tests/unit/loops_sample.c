/*
 * loops_sample.c - what test_loops compiles in several ways and looks into.
 *
 * Each function of the pattern LETTER NUMBER is called in one place of the source, by which the
 * test knows it.  C and C++.  Never run.
 */
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLACES(X)                                                                                  \
    X(p1) X(p2) X(s0) X(s1) X(s2) X(s3) X(n0) X(n1) X(n2) X(n3) X(n4) X(k1) X(k2) X(k3)            \
    X(w1) X(w2) X(w3) X(w4) X(w5) X(w6) X(w7) X(d1) X(d2) X(d3) X(g1) X(g2) X(t1) X(t2)            \
    X(t3) X(a1) X(a2) X(f1) X(f2) X(f3)
#define X(name) void name(void);
PLACES(X)
#undef X
int more(void), which(void);

void plain(void)
{
    p1();
    p2();
}

void simple(int n)
{
    s0();
    for (int i = 0; i < n; i++) {
        s1();
        s2();
    }
    s3();
}

void nested(int n, int m)
{
    n0();
    for (int i = 0; i < n; i++) {
        n1();
        for (int j = 0; j < m; j++) {
            n2();
            n3();
        }
        n4();
    }
}

void skips(void)
{
    while (more()) {
        if (which())
            k1();
        else
            k2();
        if (which())
            continue;
        k3();
    }
}

void table(void)
{
    while (more()) {
        switch (which()) {
        case 0: w1(); break;
        case 1: w2(); break;
        case 2: w3(); break;
        case 3: w4(); /* fall through */
        case 4: w5(); break;
        case 5: w6(); break;
        default: w7();
        }
    }
}

void twice(void)
{
    while (more())
        d1();
    d2();
    do
        d3();
    while (more());
}

/* Entered in two places: no natural loop. */
void jumped_into(int n)
{
    if (n)
        goto middle;
    for (;;) {
        g1();
    middle:
        g2();
        if (more())
            break;
    }
}

void ends(void)
{
    while (more()) {
        a1();
        if (which())
            abort();
        a2();
    }
}

/* The innermost one ends both. */
void leaves(void)
{
    for (;;) {
        f1();
        for (;;) {
            f2();
            if (more())
                goto out;
            if (which())
                break;
        }
    }
out:
    f3();
}

#ifdef __cplusplus
}

void catches(void)
{
    while (more()) {
        try {
            t1();
        } catch (...) {
            t2();
        }
        t3();
    }
}
#endif
