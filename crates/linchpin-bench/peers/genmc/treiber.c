/* THREADS threads that each push to and pop from Treiber's stack ROUNDS times: `treiber` of src/programs/bodies.rs, access by
 * access. Nodes are never freed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    unsigned value;
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(unsigned value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    struct node *seen = atomic_load_explicit(&top, memory_order_relaxed);
    do {
        node->next = seen;
    } while (!atomic_compare_exchange_strong_explicit(&top, &seen, node, memory_order_release, memory_order_relaxed));
}

static struct node *pop(void)
{
    struct node *seen = atomic_load_explicit(&top, memory_order_acquire);
    while (seen != NULL
           && !atomic_compare_exchange_strong_explicit(&top, &seen, seen->next, memory_order_acquire, memory_order_acquire)) {
    }
    return seen;
}

static void *run(void *number)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        push((unsigned)(unsigned long)number * ROUNDS + round);
        struct node *node = pop();
        assert(node != NULL);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (unsigned long i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, run, (void *)i);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
