/* Stand-in for a CUDA driver that finds no GPU, and whose cuInit then crashes in forked children, as that of 580.159. */
#include <stdlib.h>
#include <unistd.h>

static pid_t failed_in;

int cuInit(unsigned flags) {
  if (failed_in && failed_in != getpid())
    *(volatile int *)0 = 0;
  failed_in = getpid();
  return 100; /* CUDA_ERROR_NO_DEVICE */
}
