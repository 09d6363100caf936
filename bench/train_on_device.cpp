// Run by bench/cuda: trains on generated rows in memory, on a device or on the processor, and
// prints what it took: a line for each training, and one for each kernel.
//
//   train_on_device --rows N --features N --classes N [--rounds N] [--leaves N | --depth N]
//                   [--device NAME] [--threads N] [--test ROWS] [--valid ROWS] [--profile]
//                   [--bytes] [--PARAMETER VALUE]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/sha256.h"
#include "base/threads/parallel.h"
#include "cuda/device.h"
#include "simplexboost/error.h"
#include "simplexboost/on_device.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Work {
  std::size_t rows = 100'000;
  std::size_t features = 60;
  std::size_t classes = 100;
  std::size_t test = 0;
  std::size_t valid = 0;
  bool profile = false;
  bool bytes = false;
  Parameters parameters;
};

// Rows around two centres for each class, in a third of the features; the others are noise.
Dataset make_rows(const Work& work, std::size_t rows, std::uint64_t stream) {
  const std::size_t features = work.features;
  const std::size_t telling = std::max<std::size_t>(features / 3, 1);
  std::vector<float> centres(2 * work.classes * telling);
  Random random(1);
  for (float& x : centres) x = static_cast<float>(random.normal());
  auto values = std::make_shared<std::vector<float>>(rows * features);
  Dataset data;
  data.source = "generated rows";
  data.rows = rows;
  data.labels.codes.resize(rows);
  data.labels.columns = {"class"};
  for (std::size_t k = 0; k < work.classes; ++k)
    data.labels.classes.push_back(fmt::format("{}", k));
  constexpr std::size_t kBlock = 8192;
  parallel_blocks(resolve_threads(0), rows, kBlock, [&](std::size_t begin, std::size_t end) {
    Random own(stream, begin);
    // Sums of bytes of one number are nearly normal, and cheap.
    const auto noise = [&] {
      const std::uint64_t bits = own.next();
      std::uint64_t sum = 0;
      for (unsigned i = 0; i < 64; i += 16) sum += bits >> i & 0xffff;
      return (static_cast<float>(sum) / 65536.0F - 2.0F) * 1.7F;
    };
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t centre = own.below(2 * work.classes);
      data.labels.codes[i] = static_cast<std::int32_t>(centre % work.classes);
      for (std::size_t f = 0; f < features; ++f)
        (*values)[f * rows + i] = noise() + (f < telling ? centres[centre * telling + f] : 0.0F);
    }
  });
  for (std::size_t f = 0; f < features; ++f) {
    Column column;
    column.schema.name = fmt::format("x{}", f);
    column.scalar = Scalar::kFloat32;
    column.data = reinterpret_cast<const std::byte*>(values->data() + f * rows);
    column.stride = sizeof(float);
    column.owner = values;
    data.columns.push_back(std::move(column));
  }
  return data;
}

class RoundTimes : public Progress {
 public:
  void start(std::size_t) override { last_ = Clock::now(); }
  bool round(std::size_t, std::span<const RoundMetric>) override {
    times_.push_back(seconds_since(last_));
    last_ = Clock::now();
    return true;
  }
  double median() const {
    std::vector<double> sorted = times_;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }

 private:
  Clock::time_point last_;
  std::vector<double> times_;
};

double log_loss(const Matrix& shares, const Dataset& test) {
  double sum = 0;
  for (std::size_t i = 0; i < test.rows; ++i)
    sum -= std::log(std::max(
        1e-15, static_cast<double>(shares.row(i)[static_cast<std::size_t>(test.labels.codes[i])])));
  return sum / static_cast<double>(test.rows);
}

// Probabilities of other rows: how good they are, and how long they take here and on the device.
void judge(const Work& work, const Model& model) {
  const Dataset test = make_rows(work, work.test, 3);
  const std::string& device = work.parameters.device;
  Matrix shares;
  const auto median = [&](const Model& one) {
    std::vector<double> times;
    for (int i = 0; i < 3; ++i) {
      const auto begin = Clock::now();
      shares = one.predict_proba(test, {0, 0});
      times.push_back(seconds_since(begin));
    }
    std::sort(times.begin(), times.end());
    return times[1];
  };
  const double here = median(model);
  fmt::print("  log loss of {} other rows {:.4f}; told in {:.4f} s by the cores", work.test,
             log_loss(shares, test), here);
  if (names_device(device)) {
    const std::vector<float> wanted = std::move(shares.values);
    const double there = median(on_device(model, device));
    fmt::print(", {:.4f} s by {}: {}", there, device,
               shares.values == wanted ? "the same bits" : "OTHER NUMBERS");
  }
  fmt::print("\n");
}

void print_profile(std::size_t rounds) {
  double all = 0;
  const auto times = DeviceProfile::all().times();
  for (const auto& [name, time] : times) all += time.seconds;
  fmt::print("  kernels, each waited for: {:.2f} ms a round\n",
             1e3 * all / static_cast<double>(rounds));
  for (const auto& [name, time] : times) {
    fmt::print("    {:<20} {:7.1f} runs a round {:9.4f} ms", name,
               static_cast<double>(time.runs) / static_cast<double>(rounds),
               1e3 * time.seconds / static_cast<double>(rounds));
    if (time.work > 0) fmt::print("  {:.0f} billion additions/s", time.work / time.seconds / 1e9);
    if (time.bytes > 0) fmt::print("  {:.0f} GB/s", time.bytes / time.seconds / 1e9);
    fmt::print("\n");
  }
}

void run(const Work& work) {
  const Parameters& p = work.parameters;
  auto begin = Clock::now();
  const Dataset data = make_rows(work, work.rows, 2);
  const double making = seconds_since(begin);
  RoundTimes times;
  TrainOptions options;
  options.progress = &times;
  if (work.profile) DeviceProfile::all().set(true);
  Dataset valid;
  if (work.valid > 0) {
    valid = make_rows(work, work.valid, 4);
    options.valid = &valid;
  }
  begin = Clock::now();
  Training training(data, p, options);
  const double setup = seconds_since(begin);
  begin = Clock::now();
  training.boost(static_cast<std::size_t>(p.rounds));
  const double boosting = seconds_since(begin);
  const std::size_t rounds = training.rounds();
  begin = Clock::now();
  const Model model = training.finish();
  const double ending = seconds_since(begin);
  fmt::print(
      "{} x {}, {} classes, {} rounds on {} ({} threads): boosting {:.3f} s, median round {:.3f} "
      "ms; "
      "bins and setup {:.2f} s, end {:.2f} s, rows made in {:.1f} s{}\n",
      work.rows, work.features, work.classes, rounds, p.device, resolve_threads(p.threads),
      boosting, 1e3 * times.median(), setup, ending, making, work.profile ? " (profiled)" : "");
  if (work.profile) print_profile(rounds);
  if (work.profile) DeviceProfile::all().set(false);
  if (work.test > 0) judge(work, model);
  if (work.bytes) {
    const std::vector<std::byte> bytes = model.to_bytes();
    fmt::print("  model bytes: {} sha256 {}\n", bytes.size(), hex_text(sha256(bytes)));
  }
  std::fflush(stdout);
}

Work read_arguments(int count, char** arguments) {
  Work work;
  work.parameters.rounds = 100;
  const auto number = [](const std::string& text) { return std::stoul(text); };
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--profile") {
      work.profile = true;
    } else if (name == "--bytes") {
      work.bytes = true;
    } else if (i + 1 == count) {
      throw ParameterError(name + ": a value is missing");
    } else {
      const std::string value = arguments[++i];
      if (name == "--rows") {
        work.rows = number(value);
      } else if (name == "--features") {
        work.features = number(value);
      } else if (name == "--classes") {
        work.classes = number(value);
      } else if (name == "--test") {
        work.test = number(value);
      } else if (name == "--valid") {
        work.valid = number(value);
      } else {
        set_parameter(work.parameters, name.substr(2), value);
      }
    }
  }
  return work;
}

}  // namespace
}  // namespace simplexboost

int main(int count, char** arguments) {
  try {
    simplexboost::run(simplexboost::read_arguments(count, arguments));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
