/*
 * lu.c - dense LU decomposition without pivoting, in blocks.
 *
 *     lu [N [BLOCK [THREADS]]]
 *
 * The matrix is kept block by block, and blocks are dealt to the threads on a grid (a 2D scatter).
 * Step k decomposes the diagonal block, then the blocks below and beside it, then updates all
 * blocks behind them; a barrier stands between.  The owner of a block is the only one who writes
 * it.  The result is multiplied with a vector and compared.
 */
#include "program.h"

#include <math.h>

static long size, width, blocks, threads, rows_of_threads, columns_of_threads;
static double *matrix;
static pthread_barrier_t barrier;

static double *block_at(long i, long j)
{
    return matrix + (i * blocks + j) * width * width;
}

static double *element_at(long i, long j)
{
    return block_at(i / width, j / width) + i % width * width + j % width;
}

static long owner(long i, long j)
{
    return i % rows_of_threads * columns_of_threads + j % columns_of_threads;
}

/* a = l times u, both left in a. */
static void decompose(double *a)
{
    for (long k = 0; k < width; k++)
        for (long i = k + 1; i < width; i++) {
            a[i * width + k] /= a[k * width + k];
            for (long j = k + 1; j < width; j++)
                a[i * width + j] -= a[i * width + k] * a[k * width + j];
        }
}

/* A block below the diagonal: a = a times the inverse of u. */
static void divide_by_upper(double *a, const double *diagonal)
{
    for (long i = 0; i < width; i++)
        for (long k = 0; k < width; k++) {
            a[i * width + k] /= diagonal[k * width + k];
            for (long j = k + 1; j < width; j++)
                a[i * width + j] -= a[i * width + k] * diagonal[k * width + j];
        }
}

/* A block beside the diagonal: a = the inverse of l times a. */
static void divide_by_lower(double *a, const double *diagonal)
{
    for (long k = 0; k < width; k++)
        for (long i = k + 1; i < width; i++)
            for (long j = 0; j < width; j++)
                a[i * width + j] -= diagonal[i * width + k] * a[k * width + j];
}

/* a -= b times c */
static void subtract_product(double *a, const double *b, const double *c)
{
    for (long i = 0; i < width; i++)
        for (long k = 0; k < width; k++) {
            double factor = b[i * width + k];

            for (long j = 0; j < width; j++)
                a[i * width + j] -= factor * c[k * width + j];
        }
}

static void perimeter(long self, long k)
{
    double *diagonal = block_at(k, k);

    for (long i = k + 1; i < blocks; i++) {
        if (owner(i, k) == self)
            divide_by_upper(block_at(i, k), diagonal);
        if (owner(k, i) == self)
            divide_by_lower(block_at(k, i), diagonal);
    }
}

static void interior(long self, long k)
{
    for (long i = k + 1; i < blocks; i++)
        for (long j = k + 1; j < blocks; j++)
            if (owner(i, j) == self)
                subtract_product(block_at(i, j), block_at(i, k), block_at(k, j));
}

/* A thread's own blocks: diagonally dominant, so that no pivoting is needed. */
static void fill(long self)
{
    for (long i = 0; i < size; i++)
        for (long j = 0; j < size; j++) {
            uint64_t state = (uint64_t)(i * size + j + 1);

            if (owner(i / width, j / width) == self)
                *element_at(i, j) =
                    (double)(random_next(&state) >> 40) / (1 << 24) + (i == j ? (double)size : 0);
        }
}

static void *work(void *argument)
{
    long self = (long)argument;

    fill(self);
    for (long k = 0; k < blocks; k++) {
        if (owner(k, k) == self)
            decompose(block_at(k, k));
        pthread_barrier_wait(&barrier);
        perimeter(self, k);
        pthread_barrier_wait(&barrier);
        interior(self, k);
    }
    return NULL;
}

/* Row i of the original matrix, summed up, against row i of l times (u times ones). */
static int verify(void)
{
    double *product = allocate((size_t)size, sizeof *product);
    double worst = 0;

    for (long i = 0; i < size; i++)
        for (long j = i; j < size; j++)
            product[i] += *element_at(i, j);
    for (long i = 0; i < size; i++) {
        double got = product[i], wanted = (double)size;

        for (long j = 0; j < i; j++)
            got += *element_at(i, j) * product[j];
        for (long j = 0; j < size; j++) {
            uint64_t state = (uint64_t)(i * size + j + 1);

            wanted += (double)(random_next(&state) >> 40) / (1 << 24);
        }
        worst = fmax(worst, fabs(got - wanted) / wanted);
    }
    free(product);
    return worst < 1e-9;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    width = argument(argc, argv, 2, 1, 16);
    size = argument(argc, argv, 1, width, 1024) / width * width;
    threads = argument(argc, argv, 3, 1, 4);
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    blocks = size / width;
    rows_of_threads = threads % 2 ? 1 : 2;
    columns_of_threads = threads / rows_of_threads;
    matrix = allocate((size_t)(size * size), sizeof *matrix);
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    run_threads(threads, work);
    pthread_barrier_destroy(&barrier);
    for (long i = 0; i < size * size; i++)
        sum = checksum_add(sum, (uint64_t)llround(matrix[i] * 1e6));
    int good = verify();

    free(matrix);
    return report("lu", good, sum);
}
