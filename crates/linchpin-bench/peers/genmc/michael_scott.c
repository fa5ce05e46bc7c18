/* THREADS threads that each enqueue to and dequeue from the queue of Michael and Scott ROUNDS times: `michael_scott` of
 * src/programs/bodies.rs, access by access. Nodes are never freed. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    unsigned value;
    _Atomic(struct node *) next;
};

static _Atomic(struct node *) head;
static _Atomic(struct node *) tail;

static struct node *new_node(unsigned value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, NULL);
    return node;
}

/* Whoever finds the tail lagging moves it on. If that fails somebody else has done it. */
static void advance_tail(struct node *seen, struct node *next)
{
    atomic_compare_exchange_strong_explicit(&tail, &seen, next, memory_order_release, memory_order_relaxed);
}

static void enqueue(unsigned value)
{
    struct node *node = new_node(value);
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
        struct node *none = NULL;
        if (next != NULL) {
            advance_tail(last, next);
        } else if (atomic_compare_exchange_strong_explicit(&last->next, &none, node, memory_order_release,
                                                           memory_order_relaxed)) {
            advance_tail(last, node);
            return;
        }
    }
}

/* The node whose value was taken, or null. */
static struct node *dequeue(void)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, memory_order_acquire);
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (next == NULL) {
            if (first == last) {
                return NULL;
            }
        } else if (first == last) {
            advance_tail(last, next);
        } else if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release,
                                                           memory_order_relaxed)) {
            return next;
        }
    }
}

static void *run(void *number)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        enqueue((unsigned)(unsigned long)number * ROUNDS + round);
        dequeue();
    }
    return NULL;
}

int main(void)
{
    struct node *dummy = new_node(0);
    atomic_init(&head, dummy);
    atomic_init(&tail, dummy);
    pthread_t threads[THREADS];
    for (unsigned long i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, run, (void *)i);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
