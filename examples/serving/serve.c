/* One-row predictions from many threads through the interface in C: loads a model, lets each thread
 * predict rows one at a time, and prints how long a prediction takes.
 *
 *   cc serve.c -lsimplexboost -lm -lpthread -o serve && ./serve m.sb [THREADS] [ROWS]
 */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "simplexboost/simplexboost.h"

struct worker {
  const sb_model* model;
  size_t rows;
  unsigned seed;
  double* microseconds; /* of each prediction */
  int failed;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/* Rows as they might come in: numbers around zero, codes of categories, some missing. */
static void make_row(const sb_model* model, unsigned* seed, double* row) {
  const size_t features = sb_model_feature_count(model);
  size_t f;
  for (f = 0; f < features; ++f) {
    const size_t categories = sb_model_category_count(model, f);
    *seed = *seed * 1664525u + 1013904223u;
    row[f] = categories > 0 ? (double)(*seed % categories)
                            : (double)(*seed >> 16) / 32768.0 - 1.0;
  }
}

static void* run(void* argument) {
  struct worker* const own = argument;
  double* const row = calloc(sb_model_feature_count(own->model) + 1, sizeof *row);
  double* const proba = calloc(sb_model_class_count(own->model), sizeof *proba);
  size_t i;
  own->failed = !row || !proba;
  for (i = 0; i < own->rows && !own->failed; ++i) {
    double start;
    make_row(own->model, &own->seed, row);
    start = now();
    own->failed = sb_predict_proba(own->model, row, 1, 1, proba) != SB_OK;
    own->microseconds[i] = now() - start;
  }
  if (own->failed) fprintf(stderr, "error: %s\n", sb_last_error());
  free(row);
  free(proba);
  return NULL;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int count, char** words) {
  const size_t threads = count > 2 ? strtoul(words[2], NULL, 10) : 4;
  const size_t rows = count > 3 ? strtoul(words[3], NULL, 10) : 20000;
  const size_t all = threads * rows;
  sb_model* model;
  pthread_t* handles;
  struct worker* workers;
  double* times;
  double start;
  size_t t;
  int failed = 0;
  if (count < 2 || all == 0) {
    fprintf(stderr, "usage: serve MODEL [THREADS] [ROWS]\n");
    return 2;
  }
  if (sb_model_load(words[1], &model) != SB_OK) {
    fprintf(stderr, "error: %s\n", sb_last_error());
    return 1;
  }
  handles = calloc(threads, sizeof *handles);
  workers = calloc(threads, sizeof *workers);
  times = calloc(all, sizeof *times);
  if (!handles || !workers || !times) return 1;
  start = now();
  for (t = 0; t < threads; ++t) {
    workers[t].model = model;
    workers[t].rows = rows;
    workers[t].seed = (unsigned)t + 1u;
    workers[t].microseconds = times + t * rows;
    if (pthread_create(&handles[t], NULL, run, &workers[t]) != 0) return 1;
  }
  for (t = 0; t < threads; ++t) {
    pthread_join(handles[t], NULL);
    failed |= workers[t].failed;
  }
  start = now() - start;
  qsort(times, all, sizeof *times, ascending);
  printf("%zu rows on %zu threads: p50 %.1f us, p99 %.1f us, %.0f rows a second\n", all, threads,
         times[all / 2], times[all - 1 - all / 100], (double)all / (start * 1e-6));
  free(times);
  free(workers);
  free(handles);
  sb_model_free(model);
  return failed;
}
