#include "loss/loss_table.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/nearest_name.h"
#include "loss/builtin_loss.h"
#include "simplexboost/error.h"

namespace simplexboost {

std::span<const LossFacts> loss_table() { return plain::kLossTable.rows; }

ExportedPosterior exported_posterior(const LossFacts& loss) {
  if (loss.formula == LossFacts::kNoFormula) return ExportedPosterior::kNone;
  return plain::kLossTable.exported_posteriors[loss.formula];
}

const LossFacts* find_loss(std::string_view name) {
  for (const LossFacts& row : loss_table())
    if (row.name == name) return &row;
  return nullptr;
}

std::shared_ptr<const Loss> make_loss(std::string_view name) {
  const LossFacts* const row = find_loss(name);
  if (!row) throw ParameterError(unknown_name_message("loss", name, loss_names()));
  return std::make_shared<BuiltinLoss>(*row, loss_kernels().rows[row->formula]);
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

std::span<const std::string_view> loss_names() {
  static const auto kNames = [] {
    std::array<std::string_view, decltype(plain::kLossTable)::kSize> names;
    const auto rows = loss_table();
    std::transform(rows.begin(), rows.end(), names.begin(),
                   [](const LossFacts& row) { return row.name; });
    return names;
  }();
  return kNames;
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
