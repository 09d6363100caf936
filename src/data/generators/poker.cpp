// Poker hands: five cards of 52 without replacement, labelled by the rules of the UCI data set
// "Poker Hand" (Cattral and Oppacher 2002). The class is a function of the features, a hard one.
#include <algorithm>
#include <array>

#include "data/generators/row_source.h"

namespace simplexboost {
namespace {

constexpr std::size_t kCards = 5;
constexpr std::size_t kRanks = 13;
constexpr std::size_t kDeck = 4 * kRanks;

enum Hand : std::int32_t {
  kNothing,
  kPair,
  kTwoPairs,
  kThree,
  kStraight,
  kFlush,
  kFullHouse,
  kFour,
  kStraightFlush,
  kRoyalFlush,
  kHands
};

// suit = card / kRanks; rank = card % kRanks, 0 the ace, 12 the king.
using Cards = std::array<std::size_t, kCards>;

Cards draw_cards(Random& random) {
  Cards cards{};
  for (auto card = cards.begin(); card != cards.end(); ++card) {
    do {
      *card = random.below(kDeck);
    } while (std::find(cards.begin(), card, *card) != card);
  }
  return cards;
}

Hand rank_hand(const Cards& cards) {
  std::array<int, kRanks> counts{};
  unsigned ranks = 0;  // a bit a rank
  bool flush = true;
  for (const std::size_t card : cards) {
    ++counts[card % kRanks];
    ranks |= 1U << (card % kRanks);
    flush = flush && card / kRanks == cards[0] / kRanks;
  }
  const auto pairs = std::count(counts.begin(), counts.end(), 2);
  const int most = *std::max_element(counts.begin(), counts.end());
  if (most == 4) return kFour;
  if (most == 3) return pairs == 1 ? kFullHouse : kThree;
  if (pairs == 2) return kTwoPairs;
  if (pairs == 1) return kPair;

  constexpr unsigned kTenToAce = 0b1111000000001;
  const unsigned lowest = ranks & (~ranks + 1);
  const bool straight = ranks == lowest * 0b11111 || ranks == kTenToAce;
  if (flush && ranks == kTenToAce) return kRoyalFlush;
  if (flush) return straight ? kStraightFlush : kFlush;
  return straight ? kStraight : kNothing;
}

class Poker final : public RowSource {
 public:
  Schema schema() const override {
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= kCards; ++i) {
      names.push_back("S" + std::to_string(i));
      names.push_back("C" + std::to_string(i));
    }
    return generator_schema(names, numbered("", 0, kHands));
  }

  void draw(Random& random, std::size_t, std::size_t count, double* features,
            std::int32_t* labels) const override {
    for (std::size_t i = 0; i < count; ++i) {
      const Cards cards = draw_cards(random);
      for (const std::size_t card : cards) {
        const std::size_t suit = card / kRanks;
        const std::size_t rank = card % kRanks;
        *features++ = static_cast<double>(suit + 1);
        *features++ = static_cast<double>(rank + 1);
      }
      labels[i] = rank_hand(cards);
    }
  }

  double bayes_error() const override { return 0; }
};

}  // namespace

std::unique_ptr<RowSource> make_poker(const GeneratorSpec&) { return std::make_unique<Poker>(); }

}  // namespace simplexboost
