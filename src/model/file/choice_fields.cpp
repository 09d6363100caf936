#include "model/file/choice_fields.h"

#include <cmath>
#include <cstdint>

#include "model/file/require.h"

namespace simplexboost {
namespace {

constexpr const char* kNames = "choices.member";

template <class Items, class Get>
std::vector<std::string> texts(const Items& items, const Get& get) {
  std::vector<std::string> result;
  result.reserve(items.size());
  for (const auto& item : items) result.push_back(get(item));
  return result;
}

}  // namespace

void write_choices(TensorWriter& out, const Ensemble& ensemble) {
  const std::vector<MemberRecord>& records = ensemble.records;
  if (records.empty()) return;
  std::vector<Choice> choices;
  std::vector<std::uint64_t> ends;
  for (const MemberRecord& record : records) {
    choices.insert(choices.end(), record.choices.begin(), record.choices.end());
    ends.push_back(choices.size());
  }
  out.strings(kNames, texts(records, [](const MemberRecord& r) { return r.name; }));
  out.field("choices.weight", records, [](const MemberRecord& r) { return r.weight; });
  out.strings("choices.member_why", texts(records, [](const MemberRecord& r) { return r.why; }));
  out.strings("choices.left_out", texts(records, [](const MemberRecord& r) { return r.left_out; }));
  out.keep("choices.end", std::move(ends));
  out.strings("choices.name", texts(choices, [](const Choice& c) { return c.name; }));
  out.strings("choices.value", texts(choices, [](const Choice& c) { return c.value; }));
  out.strings("choices.why", texts(choices, [](const Choice& c) { return c.why; }));
}

void read_choices(const TensorReader& in, Ensemble& ensemble) {
  if (!in.has_tensor("choices.weight")) return;
  const auto members = in.strings(kNames);
  const auto weights = in.field<double>("choices.weight", members.size());
  const auto reasons = in.strings("choices.member_why");
  const auto left_out = in.strings("choices.left_out");
  const auto ends = in.field<std::uint64_t>("choices.end", members.size());
  const auto names = in.strings("choices.name");
  const auto values = in.strings("choices.value");
  const auto whys = in.strings("choices.why");
  require(reasons.size() == members.size() && left_out.size() == members.size(),
          "not every member that was tried says why");
  require(values.size() == names.size() && whys.size() == names.size(),
          "{} settings that were chosen have {} values and {} reasons", names.size(), values.size(),
          whys.size());
  std::uint64_t next = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    require(std::isfinite(weights[m]) && weights[m] >= 0,
            "a member that was tried has the weight {}", weights[m]);
    require(ends[m] >= next && ends[m] <= names.size(), "the choices of members are out of order");
    MemberRecord record{members[m], weights[m], reasons[m], left_out[m], {}};
    for (; next < ends[m]; ++next)
      record.choices.push_back({names[next], values[next], whys[next]});
    ensemble.records.push_back(std::move(record));
  }
  require(next == names.size(), "{} choices belong to no member", names.size() - next);
}

}  // namespace simplexboost
