/* Independent reads of independent writes, sequentially consistent: do two readers agree on the order of two writes? The first
 * thread is one of the four. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static atomic_int y;

static void *writer(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_seq_cst);
    return unused;
}

static void *left(void *unused)
{
    (void)atomic_load_explicit(&x, memory_order_seq_cst);
    (void)atomic_load_explicit(&y, memory_order_seq_cst);
    return unused;
}

static void *right(void *unused)
{
    (void)atomic_load_explicit(&y, memory_order_seq_cst);
    (void)atomic_load_explicit(&x, memory_order_seq_cst);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, left, NULL);
    pthread_create(&threads[2], NULL, right, NULL);
    atomic_store_explicit(&y, 1, memory_order_seq_cst);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
