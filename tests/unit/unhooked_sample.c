/*
 * unhooked_sample.c - accesses of all sizes, a function each.  Those whose names begin with `bad`
 * have accesses that clang has no hooks for; those whose names begin with `good` have none.
 */
#include <string.h>

typedef int wide __attribute__((vector_size(32)));
typedef int narrow __attribute__((vector_size(16)));
struct three { char a[3]; };
struct four { char a[4]; };
struct large { long a[6]; };

long double quads[4];
wide vectors[4];
narrow small[4];
const long double constants[4] = { 1, 2, 3, 4 };

int take_three(struct three value);
int take_four(struct four value);
int take_large(struct large value);
void take_pointer(long double *value);

long double bad_read(int i) { return quads[i]; }
void bad_write(int i, double value) { quads[i] = value; }
void bad_vector(int i, wide *from) { vectors[i] = *from; }
int bad_value(struct three *from) { return take_three(*from); }
int bad_large(struct large *from) { return take_large(*from); }
long bad_copy(const char *from) { long x = 0; memcpy(&x, from, 5); return x % 251; }

double good_read(const double *from, int i) { return from[i]; }
long double good_constant(int i) { return constants[i & 3]; }
long double good_own(long double x, long double y) { return x * y + 3; }
double good_kept(double x) { long double y = x; take_pointer(&y); return y + 1; }
void good_vector(int i, narrow *from) { small[i] = *from; }
int good_value(struct four *from) { return take_four(*from); }
int good_large(long a) { struct large own = { { a, 2, 3, 4, 5, 6 } }; return take_large(own); }
long good_copy(const char *from) { long x = 0; memcpy(&x, from, 8); return x % 251; }
unsigned good_pair(const unsigned *from) { return from[0] * from[1]; }
void good_fields(struct large *to) { to->a[0] = 1; to->a[1] = 2; to->a[2] = to->a[3]; }
