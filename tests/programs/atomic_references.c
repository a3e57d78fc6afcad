/*
 * atomic_references: the last one frees the object, but relaxed counting does not say that the
 * others have done with it.
 *
 * analyses: hb
 * expect: race A B
 * expect: race B C
 * overlap: no, free is no access here
 */
#include "program.h"
#include <stdatomic.h>

struct object {
    atomic_int references;
    int parts[2];
};

struct use {
    struct object *object;
    int part;
};

static NOINLINE void drop(struct object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_relaxed) != 1) /* @C */
        return;
    free(object); /* @B */
}

static void *use(void *argument)
{
    struct use *use = argument;

    use->object->parts[use->part] = 1; /* @A */
    drop(use->object);
    return NULL;
}

int main(void)
{
    struct object *object = calloc(1, sizeof(*object));
    struct use first = { object, 0 }, second = { object, 1 };
    pthread_t one, two;

    atomic_init(&object->references, 2);
    one = start(use, &first);
    two = start(use, &second);
    finish(one);
    finish(two);
    puts("freed");
    return 0;
}
