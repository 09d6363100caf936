// Problems of tests parted among the ranks of a fake cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/fake_cluster.h"
#include "tree/random_problem.h"

namespace simplexboost::testing {

template <class T>
std::vector<T> slice(const std::vector<T>& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

// What a rank has of a problem: its rows, and the bins of all of them.
inline RandomProblem share_of(const RandomProblem& problem, const RowSpace& space) {
  const std::size_t first = space.first();
  const std::size_t rows = space.rows();
  std::vector<std::uint32_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(first));
  RandomProblem share = problem;
  share.data = select_rows(problem.data, numbers);
  const std::size_t width = problem.width;
  share.pulls = slice(problem.pulls, first * width, rows * width);
  share.weights = slice(problem.weights, first, rows);
  share.curvature = slice(problem.curvature, first * width, rows * width);
  share.sizes = slice(problem.sizes, first * width, rows * width);
  return share;
}

// The rows of a sample that a rank has, by its own numbers.
inline std::vector<std::uint32_t> share_of(std::span<const std::uint32_t> sample,
                                           const RowSpace& space) {
  std::vector<std::uint32_t> share;
  for (const std::uint32_t row : sample)
    if (row >= space.first() && row < space.first() + space.rows())
      share.push_back(row - static_cast<std::uint32_t>(space.first()));
  return share;
}

// Calls body(space) on each rank of clusters of 2, 3 and 5, with uneven and empty shares of the
// rows.
inline void on_clusters(std::size_t rows, const std::function<void(const RowSpace&)>& body) {
  for (const int size : {2, 3, 5}) {
    const auto pattern = static_cast<std::size_t>(size) + rows;
    const std::vector<std::size_t> shares = uneven_shares(rows, size, pattern);
    FakeCluster(size).run([&](Communicator& ranks) {
      body(RowSpace(shares[static_cast<std::size_t>(ranks.rank())], 1 + ranks.rank() % 2, ranks));
    });
  }
}

}  // namespace simplexboost::testing
