// Histograms of bins: filling, clearing, and a sibling as the difference of its parent and the
// other child.
#include "base/simd/lanes.h"
#include "tree/kernels/kernel_parts.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// V vectors of N lanes, from vector `first` on, of every row's statistics. Stride and Width are the
// numbers of channels and features where the compiler shall know them; 0: read them from `args`.
// Packed: the features are not neighbours. A copy of `args`: what is added to the histogram could
// change the original, for all that the compiler knows, and it would be read again for every row.
template <std::size_t N, std::size_t V, std::size_t Stride, std::size_t Width, bool Packed,
          class Bin>
void fill_rows(const FillArgs<Bin> args, std::size_t first) {
  using Lane = Int<N>;
  const std::size_t channels = Stride > 0 ? Stride : args.channels;
  const std::size_t width = Width > 0 ? Width : args.width;
  std::int32_t* features[kBlockFeatures];
  std::uint32_t columns[kBlockFeatures];
  for (std::size_t f = 0; f < width; ++f) {
    features[f] = args.histogram + first * N + args.offsets[f] * channels;
    columns[f] = Packed ? args.columns[f] : 0;
  }
  const std::int32_t* const stats = args.stats + first * N;
  const auto add = [&](std::size_t row) __attribute__((always_inline)) {
    Lane sums[V];
    for (std::size_t v = 0; v < V; ++v) sums[v] = load<Lane>(stats + row * channels + v * N);
    const Bin* const bins = args.bins + row * args.bin_stride;
    for (std::size_t f = 0; f < width; ++f) {
      std::int32_t* place = features[f] + bins[Packed ? columns[f] : f] * channels;
      for (std::size_t v = 0; v < V; ++v) store(place + v * N, load<Lane>(place + v * N) + sums[v]);
    }
  };
  if (!args.rows) {
    for (std::size_t i = 0; i < args.count; ++i) add(i);
    return;
  }
  constexpr std::size_t kAhead = 16;
  constexpr std::size_t kLine = 16;
  const std::size_t announced = args.count > kAhead ? args.count - kAhead : 0;
  for (std::size_t i = 0; i < announced; ++i) {
    const std::size_t ahead = args.rows[i + kAhead];
    for (std::size_t j = 0; j < V * N; j += kLine) __builtin_prefetch(stats + ahead * channels + j);
    __builtin_prefetch(args.bins + ahead * args.bin_stride);
    add(args.rows[i]);
  }
  for (std::size_t i = announced; i < args.count; ++i) add(args.rows[i]);
}

// Of features that share bytes.
template <std::size_t N, std::size_t V, std::size_t Stride, class Bin>
void fill_shared_rows(const FillArgs<Bin> args, std::size_t first) {
  using Lane = Int<N>;
  const std::size_t channels = Stride > 0 ? Stride : args.channels;
  const std::int32_t* const stats = args.stats + first * N;
  std::int32_t* const histogram = args.histogram + first * N;
  for (std::size_t i = 0; i < args.count; ++i) {
    const std::size_t row = args.rows ? args.rows[i] : i;
    Lane sums[V];
    for (std::size_t v = 0; v < V; ++v) sums[v] = load<Lane>(stats + row * channels + v * N);
    const Bin* const bytes = args.bins + row * args.bin_stride;
    for (std::size_t f = 0; f < args.width; ++f) {
      const std::size_t bin = args.offsets[f] + args.digits[f][bytes[args.columns[f]]];
      std::int32_t* place = histogram + bin * channels;
      for (std::size_t v = 0; v < V; ++v) store(place + v * N, load<Lane>(place + v * N) + sums[v]);
    }
  }
}

template <std::size_t N, std::size_t V, class Bin>
void fill_vectors(const FillArgs<Bin>& args, std::size_t first) {
  const bool whole = args.channels == N * V;
  if (args.digits)
    return whole ? fill_shared_rows<N, V, N * V>(args, first)
                 : fill_shared_rows<N, V, 0>(args, first);
  if (args.columns)
    return whole ? fill_rows<N, V, N * V, 0, true>(args, first)
                 : fill_rows<N, V, 0, 0, true>(args, first);
  if (!whole) return fill_rows<N, V, 0, 0, false>(args, first);
  if (args.width != kBlockFeatures) return fill_rows<N, V, N * V, 0, false>(args, first);
  fill_rows<N, V, N * V, kBlockFeatures, false>(args, first);
}

// As above, with a list of bins a row in the place of one bin of each feature.
template <std::size_t N, std::size_t V, std::size_t Stride, bool Packed, class Entry>
void fill_sparse_rows(const SparseFillArgs<Entry>& args, std::size_t first) {
  using Lane = Int<N>;
  constexpr std::size_t kRowsAhead = 8;
  constexpr std::size_t kEntriesAhead = 6;
  constexpr std::size_t kLine = 16;
  const std::size_t channels = Stride > 0 ? Stride : args.channels;
  const std::int32_t* const stats = args.stats + first * N;
  std::int32_t* const histogram = args.histogram + first * N;
  for (std::size_t i = 0; i < args.count; ++i) {
    const std::size_t row = args.rows ? args.rows[i] : i;
    if (args.rows && i + kRowsAhead < args.count) {
      const std::size_t ahead = args.rows[i + kRowsAhead];
      for (std::size_t j = 0; j < V * N; j += kLine)
        __builtin_prefetch(stats + ahead * channels + j);
      __builtin_prefetch(args.entries + args.starts[ahead]);
    }
    const Entry* const entries = args.entries + args.starts[row];
    const std::size_t count = args.starts[row + 1] - args.starts[row];
    if (count == 0) continue;
    Lane sums[V];
    for (std::size_t v = 0; v < V; ++v) sums[v] = load<Lane>(stats + row * channels + v * N);
    for (std::size_t e = 0; e < count; ++e) {
      if (!Packed && e + kEntriesAhead < count)
        for (std::size_t j = 0; j < V * N; j += kLine)
          __builtin_prefetch(histogram + entries[e + kEntriesAhead] * channels + j, 1);
      const std::size_t bin = Packed ? args.places[entries[e]] : entries[e];
      if (Packed && bin == kNoPlace) continue;
      std::int32_t* place = histogram + bin * channels;
      for (std::size_t v = 0; v < V; ++v) store(place + v * N, load<Lane>(place + v * N) + sums[v]);
    }
  }
}

template <std::size_t N, std::size_t V, class Entry>
void fill_vectors(const SparseFillArgs<Entry>& args, std::size_t first) {
  const bool whole = args.channels == N * V;
  if (args.places) return fill_sparse_rows<N, V, 0, true>(args, first);
  whole ? fill_sparse_rows<N, V, N * V, false>(args, first)
        : fill_sparse_rows<N, V, 0, false>(args, first);
}

template <class Args>
void fill_block(const Args& args) {
  if (args.channels == 4) return fill_vectors<4, 1>(args, 0);
  std::size_t first = 0;
  std::size_t left = args.channels / 8;
  for (; left > kMostVectors; left -= 6, first += 6) fill_vectors<8, 6>(args, first);
  switch (left) {
    case 1: return fill_vectors<8, 1>(args, first);
    case 2: return fill_vectors<8, 2>(args, first);
    case 3: return fill_vectors<8, 3>(args, first);
    case 4: return fill_vectors<8, 4>(args, first);
    case 5: return fill_vectors<8, 5>(args, first);
    case 6: return fill_vectors<8, 6>(args, first);
    case 7: return fill_vectors<8, 7>(args, first);
    default: return fill_vectors<8, kMostVectors>(args, first);
  }
}

void clear_bin(std::int32_t* place, std::size_t channels) {
  for (std::size_t j = 0; j < channels; j += 4) store(place + j, Int<4>{});
}

// Sets the bins that fill_block() would touch to zero.
template <class Bin>
void clear_block(const FillArgs<Bin>& args) {
  for (std::size_t i = 0; i < args.count; ++i) {
    const std::size_t row = args.rows ? args.rows[i] : i;
    const Bin* bins = args.bins + row * args.bin_stride;
    for (std::size_t f = 0; f < args.width; ++f) {
      const Bin in = bins[args.columns ? args.columns[f] : f];
      const std::size_t bin = args.digits ? args.digits[f][in] : in;
      clear_bin(args.histogram + (args.offsets[f] + bin) * args.channels, args.channels);
    }
  }
}

template <class Entry>
void clear_block(const SparseFillArgs<Entry>& args) {
  for (std::size_t i = 0; i < args.count; ++i) {
    const std::size_t row = args.rows ? args.rows[i] : i;
    for (std::size_t e = args.starts[row]; e < args.starts[row + 1]; ++e) {
      const std::size_t bin = args.places ? args.places[args.entries[e]] : args.entries[e];
      if (bin != kNoPlace) clear_bin(args.histogram + bin * args.channels, args.channels);
    }
  }
}

}  // namespace

void fill(const FillArgs<std::uint8_t>& args) { fill_block(args); }
void fill(const FillArgs<std::uint16_t>& args) { fill_block(args); }
void clear(const FillArgs<std::uint8_t>& args) { clear_block(args); }
void clear(const FillArgs<std::uint16_t>& args) { clear_block(args); }
void fill(const SparseFillArgs<std::uint16_t>& args) { fill_block(args); }
void fill(const SparseFillArgs<std::uint32_t>& args) { fill_block(args); }
void clear(const SparseFillArgs<std::uint16_t>& args) { clear_block(args); }
void clear(const SparseFillArgs<std::uint32_t>& args) { clear_block(args); }

void subtract(std::int32_t* out, const std::int32_t* whole, const std::int32_t* part,
              std::size_t size) {
  for (std::size_t i = 0; i < size; i += 4)
    store(out + i, load<Int<4>>(whole + i) - load<Int<4>>(part + i));
}

}  // namespace simplexboost::SIMPLEXBOOST_ISA
