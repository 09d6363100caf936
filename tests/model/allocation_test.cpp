// Counts allocations, which takes replacing operator new for the whole test program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "model/model_access.h"
#include "model/random_ensemble.h"
#include "simplexboost/model.h"

namespace {

thread_local std::size_t allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* place = std::malloc(size == 0 ? 1 : size)) return place;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
// The standard library allocates temporary buffers with the form that does not throw.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete[](void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
void operator delete[](void* place, std::size_t) noexcept { std::free(place); }

namespace simplexboost {
namespace {

TEST(PredictRow, DoesNotAllocate) {
  for (const std::size_t outputs : {4UL, 3UL, 3000UL}) {
    const Model model = make_model(random_ensemble({6, 4, outputs, 5, 2, 12}, 1));
    const std::vector<double> row(6, 0.5);
    std::vector<float> scores(4);
    const std::size_t before = allocations;
    EXPECT_GT(before, 0U);  // the counter counts
    model.predict_row(row, scores);
    model.scores_to_proba(scores);
    EXPECT_EQ(allocations, before);
  }
}

}  // namespace
}  // namespace simplexboost
