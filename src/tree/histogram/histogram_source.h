// Where the cuts of a tree come from: whoever has the rows of its nodes and their histograms. The
// order of growth (grower.h) sees neither, only nodes with their sums and best splits; so they may
// lie in the caches of this process, on several machines, or on a device.
//
// The calls are few and coarse. For a batch of nodes, a source parts their rows, sums them, fills
// histograms (and adds up those of several ranks) and finds the best splits, in whatever order
// suits it; all sources find the same to the last bit, since all sums are of integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/growth.h"
#include "tree/node_queue.h"
#include "tree/split/channel_scan.h"

namespace simplexboost {

// A node to be cut by its split. Its children, which have room in the tree, are GrownNode::left and
// the next one.
struct NodeCut {
  std::int32_t node;
  bool search;  // the best splits of the children are wanted
};

class HistogramSource {
 public:
  virtual ~HistogramSource() = default;

  // A new tree, which has one node: its rows, their sums and what these are worth. `growth`
  // outlives the tree's growth.
  virtual void start(const Growth& growth) = 0;
  // The root's best split, where it may be split.
  virtual void split_root() = 0;
  // The best vote of a cut of the root for each pull on its own.
  virtual std::vector<ChannelCut> best_cuts() = 0;

  // Nodes that are well cut together, no more than `room`: the first of the queue, and maybe others
  // behind it, which most likely come next.
  virtual std::vector<std::int32_t> choose_batch(const NodeQueue& queue, std::size_t room) = 0;
  // Parts the rows of nodes, and sets what there is to know of their children: rows, sums, scores
  // and, where wanted and allowed, best splits.
  virtual void cut(std::span<const NodeCut> cuts) = 0;
  // Undoes cut() of a node whose children were not cut.
  virtual void join(std::size_t node) = 0;

  // The leaf of each row that is here, those too that were not drawn, of the tree grown last.
  virtual void assign_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                             std::uint32_t* leaf_of_row) const = 0;
};

}  // namespace simplexboost
