// To be preloaded: allocation number FAIL_AT of the process (from 1) fails, and FAIL_COUNT - 1 after
// it. With FAIL_REPORT set, the last line on standard error is the number of allocations.
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long allocations;
static long fail_at = -1;
static long fail_count = 1;

static int fails(void) {
  const long number = ++allocations;
  if (fail_at < 0) {
    const char *text = getenv("FAIL_AT");
    fail_at = text ? atol(text) : 0;
    text = getenv("FAIL_COUNT");
    if (text) fail_count = atol(text);
  }
  if (fail_at == 0 || number < fail_at || number - fail_at >= fail_count) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
  *out = memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}

__attribute__((destructor)) static void report(void) {
  if (!getenv("FAIL_REPORT")) return;
  char text[32];
  size_t begin = sizeof text;
  text[--begin] = '\n';
  for (long left = allocations; left > 0; left /= 10) text[--begin] = (char)('0' + left % 10);
  (void)!write(STDERR_FILENO, text + begin, sizeof text - begin);
}
