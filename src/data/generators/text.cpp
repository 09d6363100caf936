// Bags of words of many topics: the benchmark for wide sparse data. Words of all texts follow
// Zipf's law; each topic has its own order of the words, and a twentieth of a text's words are
// drawn by the same law in that order. So what tells topics apart is spread over many rare words.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "data/generators/row_source.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kDefaultVocabulary = 50'000;
constexpr std::size_t kDefaultTopics = 20;
constexpr std::size_t kDefaultWords = 80;
constexpr std::size_t kMostVocabulary = 999'999;  // LIBSVM readers take indices below a million
constexpr std::size_t kMostTopics = 100'000;
constexpr std::size_t kMostWords = 100'000;
constexpr double kOwnShare = 0.05;

void require_text(bool holds, const std::string& name, std::size_t least, std::size_t most,
                  std::size_t value) {
  if (!holds)
    throw ParameterError("text: " + name + " must be from " + std::to_string(least) + " to " +
                         std::to_string(most) + ", not " + std::to_string(value));
}

class TextSource final : public RowSource {
 public:
  TextSource(std::size_t vocabulary, std::size_t topics, std::size_t words, std::uint64_t seed)
      : topics_(topics), words_(words), seed_(seed), cumulated_(vocabulary) {
    double sum = 0;
    for (std::size_t rank = 0; rank < vocabulary; ++rank)
      cumulated_[rank] = sum += 1 / static_cast<double>(rank + 1);
    for (double& share : cumulated_) share /= sum;
    Random random = generator_stream(seed, GeneratorStream::kCentres, 0);
    for (std::size_t t = 0; t < topics; ++t) {
      std::uint64_t factor = 1 + random.below(vocabulary);
      while (std::gcd<std::uint64_t>(factor, vocabulary) != 1)
        factor = 1 + random.below(vocabulary);
      orders_.push_back({factor, random.below(vocabulary), inverse_of(factor)});
    }
  }

  Schema schema() const override {
    return generator_schema(numbered("w", 1, cumulated_.size()), numbered("", 1, topics_));
  }

  void draw(Random& random, std::size_t first, std::size_t count, double* features,
            std::int32_t* labels) const override {
    SparseBlock block;
    draw_entries(random, first, count, block, labels);
    std::fill_n(features, count * cumulated_.size(), 0.0);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i)
      for (; at < block.ends[i]; ++at)
        features[i * cumulated_.size() + block.features[at]] = block.values[at];
  }

  bool sparse() const override { return true; }

  void draw_entries(Random& random, std::size_t /*first*/, std::size_t count, SparseBlock& out,
                    std::int32_t* labels) const override {
    out = {};
    std::vector<std::uint32_t> text;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t topic = random.below(topics_);
      labels[i] = static_cast<std::int32_t>(topic);
      draw_text(random, topic, text);
      std::sort(text.begin(), text.end());
      for (std::size_t k = 0; k < text.size(); ++k) {
        if (k > 0 && text[k] == text[k - 1]) {
          out.values.back() += 1;
        } else {
          out.features.push_back(text[k]);
          out.values.push_back(1);
        }
      }
      out.ends.push_back(out.features.size());
    }
  }

  // A text's words are independent given its topic, and its length tells nothing: the posterior is
  // known, and its error is counted on texts of their own.
  double bayes_error() const override {
    constexpr std::size_t kTexts = 2000;
    Random random = generator_stream(seed_, GeneratorStream::kCalibration, 0);
    std::vector<std::uint32_t> text;
    std::vector<double> scores(topics_);
    std::size_t errors = 0;
    for (std::size_t i = 0; i < kTexts; ++i) {
      const std::size_t topic = random.below(topics_);
      draw_text(random, topic, text);
      for (std::size_t t = 0; t < topics_; ++t) {
        scores[t] = 0;
        for (const std::uint32_t word : text) scores[t] += std::log1p(own_to_common(t, word));
      }
      errors += std::max_element(scores.begin(), scores.end()) !=
                        scores.begin() + static_cast<std::ptrdiff_t>(topic)
                    ? 1U
                    : 0U;
    }
    return static_cast<double>(errors) / kTexts;
  }

 private:
  // The word of rank r in a topic's order is (factor r + shift) modulo the number of words.
  struct Order {
    std::uint64_t factor;
    std::uint64_t shift;
    std::uint64_t inverse;  // of the factor
  };

  std::size_t draw_rank(Random& random) const {
    const auto found = std::upper_bound(cumulated_.begin(), cumulated_.end(), random.uniform());
    return static_cast<std::size_t>(std::min(found, cumulated_.end() - 1) - cumulated_.begin());
  }

  // Its words, one after the other: half to one and a half times the mean.
  void draw_text(Random& random, std::size_t topic, std::vector<std::uint32_t>& text) const {
    const std::size_t length = std::max<std::size_t>(words_ / 2 + random.below(words_ + 1), 1);
    text.clear();
    for (std::size_t k = 0; k < length; ++k) {
      const bool own = random.uniform() < kOwnShare;
      const std::uint64_t rank = draw_rank(random);
      const Order& order = orders_[topic];
      text.push_back(static_cast<std::uint32_t>(
          own ? (order.factor * rank + order.shift) % cumulated_.size() : rank));
    }
  }

  // How much likelier the topic's own order makes a word than the common one, by their shares.
  double own_to_common(std::size_t topic, std::uint32_t word) const {
    const std::uint64_t size = cumulated_.size();
    const Order& order = orders_[topic];
    const std::uint64_t rank = (word + size - order.shift) % size * order.inverse % size;
    return kOwnShare / (1 - kOwnShare) * static_cast<double>(word + 1) /
           static_cast<double>(rank + 1);
  }

  // Modulo the number of words, by Euclid.
  std::uint64_t inverse_of(std::uint64_t factor) const {
    auto a = static_cast<std::int64_t>(factor);
    auto b = static_cast<std::int64_t>(cumulated_.size());
    std::int64_t x = 1;
    std::int64_t y = 0;
    while (b != 0) {
      const std::int64_t quotient = a / b;
      a = std::exchange(b, a - quotient * b);
      x = std::exchange(y, x - quotient * y);
    }
    const auto size = static_cast<std::int64_t>(cumulated_.size());
    return static_cast<std::uint64_t>((x % size + size) % size);
  }

  std::size_t topics_;
  std::size_t words_;
  std::uint64_t seed_;
  std::vector<double> cumulated_;  // share of the words of a rank and of those before it
  std::vector<Order> orders_;      // of each topic
};

}  // namespace

std::unique_ptr<RowSource> make_text(const GeneratorSpec& spec) {
  const std::size_t vocabulary = spec.features.value_or(kDefaultVocabulary);
  const std::size_t topics = spec.topics.value_or(kDefaultTopics);
  const std::size_t words = spec.words.value_or(kDefaultWords);
  require_text(vocabulary >= 2 && vocabulary <= kMostVocabulary, "features", 2, kMostVocabulary,
               vocabulary);
  require_text(topics >= 2 && topics <= kMostTopics, "topics", 2, kMostTopics, topics);
  require_text(words >= 1 && words <= kMostWords, "words", 1, kMostWords, words);
  return std::make_unique<TextSource>(vocabulary, topics, words, spec.seed);
}

}  // namespace simplexboost
