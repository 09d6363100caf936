// What losses say of rows, on a device: sixteen threads take a row, each the classes of one lane of
// the loops on the processor (loss/loss_loops.h), so that sums are taken in the same order and have
// the same bits. The formulas are those of loss/formulas.
#pragma once

#include "cuda/kernel.h"
#include "loss/loss_loops.h"
#include "loss/loss_table.h"

namespace simplexboost {

inline constexpr unsigned kRowLanes = 16;
inline constexpr unsigned kRowsOfBlock = 16;

// The lanes that sums over the classes of a row are taken in.
LANES_INLINE std::uint32_t class_lanes(std::uint32_t classes) { return classes <= 8 ? 8 : 16; }

// Their sum, in the order of the vector loops.
LANES_INLINE float sum_of_lanes(const float* lanes, std::uint32_t count) {
  return count == 8 ? plain::sum(plain::load<plain::Float<8>>(lanes))
                    : plain::sum(plain::load<plain::Float<16>>(lanes));
}

LANES_INLINE float largest_of(const float* values, unsigned count) {
  float most = values[0];
  for (unsigned i = 1; i < count; ++i) most = plain::maximum(most, values[i]);
  return most;
}

// Rows and their scores, moved along a direction where there is one.
struct MovedRows {
  std::size_t rows;
  std::uint32_t classes;
  const float* scores;  // rows x classes
  float factor;         // from them to class scores: 1/2 where codewords are canonical
  const std::int32_t* labels;
  const std::uint32_t* leaf_of_row;  // null: not moved
  const float* direction;            // leaves x classes: class scores of a step of 1
  float step;

  LANES_INLINE float class_score(std::size_t row, std::uint32_t k) const {
    const float score = factor * scores[row * classes + k];
    return leaf_of_row ? score + step * of_leaf(row)[k] : score;
  }
  LANES_INLINE const float* of_leaf(std::size_t row) const {
    return direction + std::size_t{leaf_of_row[row]} * classes;
  }
};

// What the threads of a row share.
struct RowRoom {
  float tops[kRowLanes];
  float lanes[kRowLanes];
  float parts[8];
};

// rate (u_l - u_c), minus infinity of the row's own class.
template <class Formula>
LANES_INLINE float exponent(const MovedRows& rows, std::size_t row, std::uint32_t k, float own) {
  const auto label = static_cast<std::uint32_t>(rows.labels[row]);
  return k == label ? -plain::kInfinity : Formula::kRate * (rows.class_score(row, k) - own);
}

// Goes over the classes of a lane, a few at a time: read(k) of all of them comes before
// use(k, what was read) of the first, so that loads do not wait for each other. Nothing else tells
// the compiler that what is stored is not what is loaded next.
template <class Read, class Use>
LANES_INLINE void for_each_of_lane(std::uint32_t classes, unsigned lane, const Read& read,
                                   const Use& use) {
  constexpr unsigned kAhead = 8;
  const std::uint32_t lanes = class_lanes(classes);
  if (lane >= lanes) return;
  std::uint32_t k = lane;
  for (; k + (kAhead - 1) * lanes < classes; k += kAhead * lanes) {
    float found[kAhead];
    for (unsigned i = 0; i < kAhead; ++i) found[i] = read(k + i * lanes);
    for (unsigned i = 0; i < kAhead; ++i) use(k + i * lanes, found[i]);
  }
  for (; k < classes; k += lanes) use(k, read(k));
}

// The largest of those of a lane, which are written to `exponents` where that is not null.
template <class Formula>
LANES_INLINE float top_of_lane(const MovedRows& rows, std::size_t row, unsigned lane, float own,
                               float* exponents) {
  float most = plain::kNoTop;
  for_each_of_lane(
      rows.classes, lane, [&](std::uint32_t k) { return exponent<Formula>(rows, row, k, own); },
      [&](std::uint32_t k, float z) {
        if (exponents) exponents[k] = z;
        most = plain::maximum(most, z);
      });
  return most;
}

// Pulls, curvatures and what shapes the tree, as NewtonBoosting has them: of all rows as if they
// had weight 1, times exp(-log_scale); the shape's are weighted. Or pulls alone, as
// GradientBoosting has them, and the slopes along the direction.
struct FillPulls {
  static constexpr const char* kName = "fill pulls";
  static constexpr unsigned kThreads = kRowLanes * kRowsOfBlock;
  MovedRows rows;
  int formula;
  float log_scale;
  float pull_factor;  // of class pulls: 1/2, which are those on canonical scores, or 1
  bool from_pulls;    // pulls tell their curvature, by this factor
  float curvature_factor;
  const float* weights;     // of the rows; null: all 1
  const float* projection;  // classes x stride
  std::uint32_t stride;
  std::uint32_t sketch;   // channels; 0: none
  bool terms_shared;      // e^z of a block fits into its memory
  float* pulls;           // rows x classes
  float* curvature;       // likewise; null where from_pulls, and where pulls alone are wanted
  float* structure;       // rows x sketch, or x classes where weighted; null: the pulls
  float* row_weights;     // of the structure; null: pulls alone are wanted
  float* slopes;          // of the rows: <pull, direction>; null: not wanted
  std::int32_t* largest;  // log of the largest weight w, as ordered_bits()

  struct Local {
    float top;
  };
  struct Shared {
    RowRoom row[kRowsOfBlock];
    float logs[kRowsOfBlock];
  };

  LANES_INLINE std::size_t shared_bytes() const {
    return sizeof(Shared) + (terms_shared ? term_bytes(rows.classes) : 0);
  }
  // What the terms of a block take.
  static LANES_INLINE std::size_t term_bytes(std::uint32_t classes) {
    return sizeof(float) * kRowsOfBlock * term_pitch(classes);
  }
  LANES_INLINE unsigned phases() const { return 6; }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* memory,
                               Local& local) const {
    Shared& shared = *static_cast<Shared*>(memory);
    const unsigned place = self.thread / kRowLanes;
    const unsigned lane = self.thread % kRowLanes;
    const std::size_t row = self.block * kRowsOfBlock + place;
    if (phase == 4 && self.thread == 0)
      atomic_max(largest, ordered_bits(largest_of(shared.logs, kRowsOfBlock)));
    if (phase == 5)
      return shape(self, terms_shared ? reinterpret_cast<float*>(&shared + 1) : nullptr);
    if (row >= rows.rows) {
      if (phase == 0 && lane == 0) shared.logs[place] = -plain::kInfinity;
      return;
    }
    float* const terms =
        terms_shared ? reinterpret_cast<float*>(&shared + 1) + place * term_pitch(rows.classes)
                     : pulls + row * rows.classes;
    RowRoom& room = shared.row[place];
    plain::visit_formula(formula, [&](auto loss) {
      using Formula = decltype(loss);
      if (phase == 0) {
        const float own = rows.class_score(row, static_cast<std::uint32_t>(rows.labels[row]));
        room.tops[lane] = top_of_lane<Formula>(rows, row, lane, own, terms);
      }
      if (phase == 1) sum_terms(lane, terms, room, local);
      if (phase == 2) finish_row<Formula>(row, lane, terms, room, local, shared.logs + place);
    });
    if (phase == 3 && slopes && lane == 0) {
      const float* const direction = rows.of_leaf(row);
      float slope = 0;
      for (std::uint32_t k = 0; k < rows.classes; ++k) slope += terms[k] * direction[k];
      slopes[row] = slope;
    }
    if (phase == 3 && curvature && lane < 8) {
      float part = 0;
      for (std::uint32_t k = lane; k < rows.classes; k += 8)
        part += curvature[row * rows.classes + k];
      room.parts[lane] = part;
    }
    if (phase == 4 && row_weights && lane == 0)
      row_weights[row] = structure_weight(room) * weight(row);
  }

 private:
  // From row to row of the terms: two rows that follow each other have no bank of the shared memory
  // in common.
  static LANES_INLINE std::size_t term_pitch(std::uint32_t classes) {
    return (std::size_t{classes} + 15) / 32 * 32 + 16;
  }
  LANES_INLINE float weight(std::size_t row) const { return weights ? weights[row] : 1.0F; }

  // From exponents to terms.
  LANES_INLINE void sum_terms(unsigned lane, float* terms, RowRoom& room, Local& local) const {
    local.top = largest_of(room.tops, kRowLanes);
    float sum = 0;
    for_each_of_lane(
        rows.classes, lane, [&](std::uint32_t k) { return plain::exp_of(terms[k] - local.top); },
        [&](std::uint32_t k, float term) {
          terms[k] = term;
          sum += term;
        });
    room.lanes[lane] = sum;
  }

  // As pulls() of loss_loops.h, and the part that is wanted.
  template <class Formula>
  LANES_INLINE void finish_row(std::size_t row, unsigned lane, float* terms, RowRoom& room,
                               const Local& local, float* log) const {
    const std::uint32_t lanes = class_lanes(rows.classes);
    const float sum = sum_of_lanes(room.lanes, lanes);
    const plain::RowSum<float> whole(local.top, sum);
    const plain::RowPulls<float> said = Formula::pulls(whole);
    const float log_weight = Formula::log_weight(local.top);
    const float size = plain::exp_of(log_weight - log_scale);
    const float counts = sum > 0 ? 1.0F : 0.0F;
    const float factor = counts > 0 ? said.pull * size * counts : 0.0F;
    const float own_pull = factor * sum;
    if (lane == 0) *log = sum > 0 ? log_weight : -plain::kInfinity;
    float bends = 0;
    const auto label = static_cast<std::uint32_t>(rows.labels[row]);
    for_each_of_lane(
        rows.classes, lane, [&](std::uint32_t k) { return terms[k]; },
        [&](std::uint32_t k, float term) {
          const bool own = k == label;
          const float pull = term * factor;
          const float wanted = pull_factor * (own ? own_pull : -pull);
          const std::size_t at = row * rows.classes + k;
          terms[k] = wanted;  // which may be the same place
          pulls[at] = wanted;
          if (from_pulls) {
            bends += plain::pull_curvature(wanted, curvature_factor);
          } else if (curvature) {
            curvature[at] = 0.25F * (own ? plain::own_curvature<Formula>(own_pull, said.own)
                                         : plain::entry_curvature<Formula>(pull, term, said.bend));
          }
        });
    room.tops[lane] = bends;  // room.lanes is still read by others
  }

  LANES_INLINE float structure_weight(const RowRoom& room) const {
    if (from_pulls) return sum_of_lanes(room.tops, class_lanes(rows.classes));
    float sum = 0;
    for (const float part : room.parts) sum += part;
    return sum;
  }

  // The numbers of all rows of a block, one after the other; `terms`: their pulls, or null. Threads
  // are dealt out by eights, so that those of a warp want few rows.
  LANES_INLINE void shape(const KernelThread& self, const float* terms) const {
    if (!structure) return;
    const std::size_t first = self.block * kRowsOfBlock;
    const std::size_t left = rows.rows - first;
    const auto some = static_cast<std::uint32_t>(left < kRowsOfBlock ? left : kRowsOfBlock);
    const float* const own = terms ? terms : pulls + first * rows.classes;
    const std::size_t pitch = terms ? term_pitch(rows.classes) : rows.classes;
    const std::uint32_t width = sketch > 0 ? sketch : rows.classes;
    const std::uint32_t threads = (width + 7) / 8 * 8;
    for (std::uint32_t i = self.thread; i < some * threads; i += kThreads) {
      const std::uint32_t row = i / threads;
      const std::uint32_t s = i % threads;
      if (s >= width) continue;
      const float* const pull = own + row * pitch;
      const float sum = sketch > 0 ? projected(pull, projection + s) : pull[s];
      structure[(first + row) * width + s] = weights ? sum * weight(first + row) : sum;
    }
  }

  // One after the other, as the processor does; loads come a few at a time.
  LANES_INLINE float projected(const float* pull, const float* column) const {
    constexpr unsigned kAhead = 8;
    float sum = 0;
    std::uint32_t k = 0;
    for (; k + kAhead <= rows.classes; k += kAhead) {
      float factors[kAhead];
      for (unsigned i = 0; i < kAhead; ++i) factors[i] = column[std::size_t{k + i} * stride];
      for (unsigned i = 0; i < kAhead; ++i) sum += factors[i] * pull[k + i];
    }
    for (; k < rows.classes; ++k) sum += column[std::size_t{k} * stride] * pull[k];
    return sum;
  }
};

// The top and the sum of each row (formulas/row_sum.h).
struct SumRowTerms {
  static constexpr const char* kName = "sum row terms";
  static constexpr unsigned kThreads = kRowLanes * kRowsOfBlock;
  MovedRows rows;
  int formula;
  float* tops;
  float* sums;

  struct Local {
    float top;
  };

  LANES_INLINE std::size_t shared_bytes() const { return kRowsOfBlock * sizeof(RowRoom); }
  LANES_INLINE unsigned phases() const { return 3; }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* memory,
                               Local& local) const {
    RowRoom& room = static_cast<RowRoom*>(memory)[self.thread / kRowLanes];
    const unsigned lane = self.thread % kRowLanes;
    const std::size_t row = self.block * kRowsOfBlock + self.thread / kRowLanes;
    if (row >= rows.rows) return;
    const std::uint32_t lanes = class_lanes(rows.classes);
    if (phase == 2) {
      if (lane == 0) sums[row] = sum_of_lanes(room.lanes, lanes);
      return;
    }
    plain::visit_formula(formula, [&](auto loss) {
      using Formula = decltype(loss);
      const float own = rows.class_score(row, static_cast<std::uint32_t>(rows.labels[row]));
      if (phase == 0) {
        room.tops[lane] = top_of_lane<Formula>(rows, row, lane, own, nullptr);
        return;
      }
      local.top = largest_of(room.tops, kRowLanes);
      float sum = 0;
      for (std::uint32_t k = lane; k < rows.classes && lane < lanes; k += lanes)
        sum += plain::exp_of(exponent<Formula>(rows, row, k, own) - local.top);
      room.lanes[lane] = sum;
      if (lane == 0) tops[row] = local.top;
    });
  }
};

// The risk of few rows, times exp(-log_scale), as the loops on the processor take them together.
struct DeviceRisk {
  double sum;
  double log_scale;
};

struct ChunkRisks {
  static constexpr const char* kName = "chunk risks";
  static constexpr unsigned kThreads = 64;
  using Local = NoLocal;
  int formula;
  const float* tops;
  const float* sums;
  const float* weights;  // of the rows; null: all 1
  std::size_t rows;
  std::size_t block;  // rows after which chunks begin anew
  std::size_t chunk;
  DeviceRisk* risks;

  LANES_INLINE std::size_t chunks_of_block() const { return (block + chunk - 1) / chunk; }
  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t number = self.block * kThreads + self.thread;
    const std::size_t first = number / chunks_of_block() * block;
    const std::size_t begin = first + number % chunks_of_block() * chunk;
    if (first >= rows) return;
    std::size_t end = begin + chunk < first + block ? begin + chunk : first + block;
    if (end > rows) end = rows;
    plain::visit_formula(formula, [&](auto loss) {
      using Formula = decltype(loss);
      float most = -plain::kInfinity;
      for (std::size_t i = begin; i < end; ++i)
        if (weight(i) > 0) most = plain::maximum(most, Formula::log_value(tops[i]));
      const bool plain_logs = most < kPlainLogs && most > -kPlainLogs;
      const float log_scale = plain_logs || most == -plain::kInfinity ? 0 : most;
      double total = 0;
      for (std::size_t i = begin; i < end; ++i) {
        if (!(weight(i) > 0)) continue;
        const plain::RowSum<float> row(tops[i], sums[i]);
        const float value =
            Formula::value(row) * plain::exp_of(Formula::log_value(row.top) - log_scale);
        total += static_cast<double>(value) * static_cast<double>(weight(i));
      }
      risks[number] = {total, static_cast<double>(log_scale)};
    });
  }

 private:
  // 0 where no other class counts.
  LANES_INLINE float weight(std::size_t row) const {
    return sums[row] > 0 ? weights ? weights[row] : 1.0F : 0.0F;
  }
};

}  // namespace simplexboost
