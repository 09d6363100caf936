#include "boosting/bagging/forest_rows.h"

#include <limits>
#include <memory>
#include <string>

#include "base/byte_stream.h"
#include "data/rows/row_shares.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Items name their rows in four bytes.
const RowSpace& checked(const RowSpace& space, const std::string& source) {
  if (space.all() > std::numeric_limits<std::uint32_t>::max())
    throw DataError({source}, "too many rows for a forest, which has all of them on each process");
  return space;
}

BinnedDataset gathered(const BinnedDataset& share, Communicator& ranks) {
  BinnedDataset all(share, ranks);
  if (share.images()) all.set_images(std::make_shared<IntegralImages>(*share.images(), ranks));
  return all;
}

}  // namespace

ForestRows::ForestRows(const Dataset& share, const BinnedDataset& bins, const RowSpace& space)
    : share_(share),
      space_(checked(space, share.source)),
      all_(space.parted()
               ? std::optional<All>({gathered(bins, space.ranks()),
                                     gather_labels(share.labels, space.ranks()),
                                     gather_values<double>(space.ranks(), share.weights)})
               : std::nullopt),
      columns_(all_ ? all_->bins : bins, space.threads()) {}

TreeDeal::TreeDeal(const RowSpace& space) : here_(static_cast<std::size_t>(space.threads())) {
  const auto mine = static_cast<std::uint64_t>(here_);
  const auto threads = gather_values<std::uint64_t>(space.ranks(), {&mine, 1});
  for (std::size_t r = 0; r < threads.size(); ++r) {
    if (r == static_cast<std::size_t>(space.ranks().rank())) before_ = all_;
    all_ += threads[r];
  }
}

std::vector<ClassTree> gather_trees(std::vector<ClassTree> mine, Communicator& ranks) {
  if (ranks.size() == 1) return mine;
  ByteWriter writer;
  writer(static_cast<std::uint64_t>(mine.size()));
  for (ClassTree& tree : mine) carry_class_tree(writer, tree);
  mine.clear();
  const std::vector<std::byte> bytes = ranks.gather(writer.bytes());
  ByteReader reader(bytes);
  std::vector<ClassTree> all;
  for (int r = 0; r < ranks.size(); ++r) {
    std::uint64_t grown = 0;
    reader(grown);
    for (std::uint64_t t = 0; t < grown; ++t) carry_class_tree(reader, all.emplace_back());
  }
  return all;
}

}  // namespace simplexboost
