/* Message passing: relaxed data, a flag that is written with release and read with acquire. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data;
static atomic_int flag;

static void *sender(void *unused)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *receiver(void *unused)
{
    (void)atomic_load_explicit(&flag, memory_order_acquire);
    (void)atomic_load_explicit(&data, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, sender, NULL);
    pthread_create(&threads[1], NULL, receiver, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
