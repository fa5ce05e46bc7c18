/* Store buffering with sequentially consistent accesses: each thread writes its own location and reads the other's. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static atomic_int y;

static void *left(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_seq_cst);
    (void)atomic_load_explicit(&y, memory_order_seq_cst);
    return unused;
}

static void *right(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_seq_cst);
    (void)atomic_load_explicit(&x, memory_order_seq_cst);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
