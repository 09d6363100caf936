#include "data/labels/label_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/text/visible_text.h"
#include "data/readers/read_notes.h"
#include "data/readers/table/column_plan.h"
#include "data/readers/table/text_cell.h"

namespace simplexboost {
namespace {

// Single-label data: a row without a label cannot be trained on or judged.
void check_missing(const LabelText& labels, const ReadOptions& options) {
  if (!options.require_labels || !labels.offsets.empty()) return;
  const auto& codes = labels.text.codes;
  const auto missing = std::find(codes.begin(), codes.end(), -1);
  if (missing != codes.end())
    throw DataError(labels.place(static_cast<std::size_t>(missing - codes.begin())),
                    "the label is missing; fill it in, or delete the row");
}

std::vector<std::int32_t> new_codes(const LabelText& labels, const ReadOptions& options,
                                    std::vector<std::string>& classes) {
  const TextDictionary& dictionary = labels.text.dictionary;
  const std::vector<std::string_view> texts = dictionary.texts();
  if (options.require_labels && !options.part && texts.size() < 2)
    throw DataError(
        {labels.source},
        texts.empty() ? "no row has a label; expected at least two classes"
                      : fmt::format("only one class, {}; expected at least two", quote(texts[0])));
  if (texts.size() > kMostLabels)
    throw DataError(labels.place(dictionary[kMostLabels].first_row),
                    fmt::format("more than {} classes; is this the label?", kMostLabels));
  std::vector<std::int32_t> rank = rank_names(texts);
  classes = in_rank(texts, rank);
  return rank;
}

// Drops the labels of unknown classes and those that are left open, and puts those of each row in
// ascending order.
void tidy_lists(Labels& labels, const std::vector<char>& open) {
  const std::size_t rows = labels.offsets.size() - 1;
  std::size_t kept = 0;
  std::size_t begin = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t end = labels.offsets[row + 1];
    const std::size_t first = kept;
    for (std::size_t k = begin; k < end; ++k) {
      if (labels.codes[k] < 0) continue;
      if (!open.empty() && open[k] != 0)
        leave_open(labels, rows, row, labels.codes[k]);
      else
        labels.codes[kept++] = labels.codes[k];
    }
    std::sort(labels.codes.begin() + static_cast<std::ptrdiff_t>(first),
              labels.codes.begin() + static_cast<std::ptrdiff_t>(kept));
    labels.offsets[row + 1] = kept;
    begin = end;
  }
  labels.codes.resize(kept);
}

}  // namespace

void leave_open(Labels& labels, std::size_t rows, std::size_t row, std::int32_t code) {
  const std::size_t classes = labels.classes.size();
  if (labels.weights.empty()) labels.weights.assign(rows * classes, 1);
  labels.weights[row * classes + static_cast<std::size_t>(code)] = 0;
}

void note_open_labels(const Labels& labels, const ReadOptions& options, const std::string& source,
                      ReadNotes& notes) {
  if (labels.weights.empty() || !options.require_labels) return;
  const std::size_t classes = labels.classes.size();
  std::vector<std::size_t> known(classes);
  for (std::size_t at = 0; at < labels.weights.size(); ++at)
    if (labels.weights[at] > 0) ++known[at % classes];
  const std::size_t sum = std::accumulate(known.begin(), known.end(), std::size_t{0});
  if (sum == 0) throw DataError({source}, "no label is known; expected 0 or 1 in some cells");
  notes.lines.push_back(fmt::format("{}: {} of {} labels are unknown, and left out", source,
                                    labels.weights.size() - sum, labels.weights.size()));
  std::vector<std::string> nowhere;
  for (std::size_t k = 0; k < classes; ++k)
    if (known[k] == 0) nowhere.push_back(quote(labels.classes[k]));
  if (!nowhere.empty() && options.schema == nullptr)
    notes.lines.push_back(
        fmt::format("{}: no row knows of {}: what a model says of {} will mean nothing", source,
                    list_some(nowhere), nowhere.size() == 1 ? "it" : "them"));
}

std::vector<std::int32_t> known_codes(const TextDictionary& dictionary,
                                      const std::vector<std::string>& known) {
  std::unordered_map<std::string_view, std::int32_t> index;
  for (const std::string& name : known)
    index.emplace(name, static_cast<std::int32_t>(index.size()));
  std::vector<std::int32_t> codes(dictionary.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto found = index.find(dictionary[i].text);
    codes[i] = found != index.end() ? found->second : -1;
  }
  return codes;
}

void note_unknown(const TextDictionary& dictionary, const std::vector<std::int32_t>& codes,
                  std::string before, std::string after, ReadNotes& notes) {
  ReadNotes::Unknown unknown{std::move(before), 0, {}, std::move(after)};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] >= 0) continue;
    unknown.rows += dictionary[i].count;
    if (unknown.names.size() < kMostUnknown) unknown.names.push_back(quote(dictionary[i].text));
  }
  if (unknown.rows > 0) notes.unknown.push_back(std::move(unknown));
}

void check_utf8(const TextDictionary& dictionary,
                const std::function<Place(std::size_t row)>& place) {
  for (std::size_t i = 0; i < dictionary.size(); ++i)
    if (!is_utf8(dictionary[i].text))
      throw DataError(place(dictionary[i].first_row),
                      "this text is not UTF-8; save the file as UTF-8");
}

Labels encode_labels(LabelText labels, const ReadOptions& options, ReadNotes& notes) {
  check_missing(labels, options);
  check_utf8(labels.text.dictionary, labels.place);
  Labels result;
  std::vector<std::int32_t> codes;
  if (options.schema != nullptr) {
    result.classes = options.schema->classes;
    codes = known_codes(labels.text.dictionary, result.classes);
    if (options.require_labels)
      note_unknown(labels.text.dictionary, codes, labels.source + ": ",
                   fmt::format(", no class of the model: {}",
                               labels.offsets.empty() ? "always counted as an error" : "left out"),
                   notes);
  } else {
    codes = new_codes(labels, options, result.classes);
  }
  result.codes = std::move(labels.text.codes);
  for (std::int32_t& code : result.codes)
    if (code >= 0) code = codes[static_cast<std::size_t>(code)];
  result.offsets = std::move(labels.offsets);
  if (!result.multi_label()) return result;
  tidy_lists(result, labels.open);
  note_open_labels(result, options, labels.source, notes);
  return result;
}

}  // namespace simplexboost
