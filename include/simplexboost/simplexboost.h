/* simplexboost for C, and for every language that calls C: models behind opaque handles, an error
 * code from every call that can fail, and the words for it. The interface is stable: functions are
 * added, none is changed or taken away within a major version.
 *
 * A handle never changes once it is made, and may be used by many threads at once. Whoever gets one
 * frees it. Pointers to names live as long as their handle.
 *
 * A row is one number for each feature, in the order of the model: for a category its code, which
 * is its place among sb_model_category(), and NaN where a value is missing. */
#ifndef SIMPLEXBOOST_SIMPLEXBOOST_H
#define SIMPLEXBOOST_SIMPLEXBOOST_H

/* NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using,readability-identifier-naming) */
#include <stddef.h>
#include <stdint.h>

#include "simplexboost/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sb_model sb_model;

/* What a call came to; sb_last_error() has the words. */
typedef enum sb_status {
  SB_OK = 0,
  SB_BAD_ARGUMENT = 1, /* a null pointer, a number out of range */
  SB_BAD_MODEL = 2,    /* not a model, a damaged one, or one that cannot do this */
  SB_SYSTEM = 3,       /* the operating system refused: no such file, no permission, disk full */
  SB_NO_MEMORY = 4,
  SB_FAILED = 5
} sb_status;

/* "0.2.0" */
SIMPLEXBOOST_API const char* sb_version(void);
/* One line about the last call of this thread that failed; "" before the first. */
SIMPLEXBOOST_API const char* sb_last_error(void);

/* A model file, or the bytes of one. *model is null where it fails. */
SIMPLEXBOOST_API sb_status sb_model_load(const char* path, sb_model** model);
SIMPLEXBOOST_API sb_status sb_model_from_bytes(const void* bytes, size_t size, sb_model** model);
SIMPLEXBOOST_API sb_status sb_model_save(const sb_model* model, const char* path);
/* Null is allowed. */
SIMPLEXBOOST_API void sb_model_free(sb_model* model);

/* 0 where the model is null; names are null where there is none of that number. */
SIMPLEXBOOST_API size_t sb_model_feature_count(const sb_model* model);
SIMPLEXBOOST_API size_t sb_model_class_count(const sb_model* model);
SIMPLEXBOOST_API size_t sb_model_round_count(const sb_model* model);
SIMPLEXBOOST_API const char* sb_model_feature(const sb_model* model, size_t feature);
SIMPLEXBOOST_API const char* sb_model_class(const sb_model* model, size_t number);
/* How many categories a feature has; 0: it is a number. */
SIMPLEXBOOST_API size_t sb_model_category_count(const sb_model* model, size_t feature);
SIMPLEXBOOST_API const char* sb_model_category(const sb_model* model, size_t feature, size_t code);
/* 1 where there are probabilities, and where a row may have several labels; else 0. */
SIMPLEXBOOST_API int sb_model_has_proba(const sb_model* model);
SIMPLEXBOOST_API int sb_model_multi_label(const sb_model* model);

/* Predictions for `rows` rows of features, row after row, on so many threads (0: all cores).
 * sb_predict() writes the class of each row, the others rows x classes numbers, row after row. One
 * row is predicted at once, without allocation. */
SIMPLEXBOOST_API sb_status sb_predict(const sb_model* model, const double* features, size_t rows,
                                      int threads, int32_t* classes);
SIMPLEXBOOST_API sb_status sb_predict_scores(const sb_model* model, const double* features,
                                             size_t rows, int threads, float* scores);
SIMPLEXBOOST_API sb_status sb_predict_proba(const sb_model* model, const double* features,
                                            size_t rows, int threads, double* probabilities);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-deprecated-headers,modernize-use-using,readability-identifier-naming) */

#endif
