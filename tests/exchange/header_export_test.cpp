// Headers of random models, compiled and run. Without a compiler of C on this machine it is
// skipped.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "exchange/random_models.h"
#include "simplexboost/exchange.h"

namespace simplexboost {
namespace {

using testing::random_model;
using testing::row_of;

constexpr std::uint64_t kModels = 36;

// A folder of this process that goes with the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / fmt::format("simplexboost-{}", getpid())) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

Model model_of(std::uint64_t seed) { return random_model(seed, seed >= kModels / 2); }

// All models in one library: scores_N, proba_N and class_N.
void* compiled_models(const Folder& folder) {
  std::ofstream program(folder / "models.c");
  for (std::uint64_t seed = 0; seed < kModels; ++seed) {
    const std::string name = fmt::format("m{}", seed);
    std::ofstream(folder / (name + ".h")) << to_header(model_of(seed), name);
    program << fmt::format(
        "#include \"{0}.h\"\n"
        "void scores_{1}(const double* x, float* s);\nvoid proba_{1}(const double* x, double* p);\n"
        "unsigned class_{1}(const double* x);\nconst char* name_{1}(unsigned k);\n"
        "void scores_{1}(const double* x, float* s) {{ {0}_scores(x, s); }}\n"
        "void proba_{1}(const double* x, double* p) {{ {0}_proba(x, p); }}\n"
        "unsigned class_{1}(const double* x) {{ return (unsigned){0}_class(x); }}\n"
        "const char* name_{1}(unsigned k) {{ (void){0}_feature_name(0); return {0}_class_name(k); "
        "}}\n",
        name, seed);
  }
  program.close();
  const std::string command =
      fmt::format("cc -std=c99 -O1 -Wall -Wextra -pedantic -Werror -shared -fPIC '{}' -o '{}' -lm",
                  folder / "models.c", folder / "models.so");
  EXPECT_EQ(std::system(command.c_str()), 0);
  return dlopen((folder / "models.so").c_str(), RTLD_NOW);
}

template <class Function>
Function* function_of(void* library, const char* name, std::uint64_t seed) {
  void* const found = dlsym(library, fmt::format("{}_{}", name, seed).c_str());
  EXPECT_NE(found, nullptr) << name;
  return reinterpret_cast<Function*>(found);
}

TEST(HeaderExport, RandomModelsSayTheSameInC) {
  if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no compiler of C";
  const Folder folder;
  void* const library = compiled_models(folder);
  ASSERT_NE(library, nullptr) << dlerror();
  for (std::uint64_t seed = 0; seed < kModels; ++seed) {
    const Model model = model_of(seed);
    const bool exact = ensemble_of(model).members.empty() && !ensemble_of(model).adjusted();
    const Dataset data = random_data(model.schema(), 40, seed);
    const Matrix scores = model.predict_scores(data);
    const Matrix proba = model.predict_proba(data);
    const std::vector<std::int32_t> labels = model.predict(data);
    const auto scores_in_c = function_of<void(const double*, float*)>(library, "scores", seed);
    const auto proba_in_c = function_of<void(const double*, double*)>(library, "proba", seed);
    const auto class_in_c = function_of<unsigned(const double*)>(library, "class", seed);
    const auto name_in_c = function_of<const char*(unsigned)>(library, "name", seed);
    for (std::size_t k = 0; k < model.schema().classes.size(); ++k)
      EXPECT_EQ(name_in_c(static_cast<unsigned>(k)), model.schema().classes[k]);
    for (std::size_t i = 0; i < data.rows; ++i) {
      const std::vector<double> row = row_of(data, i);
      std::vector<float> s(model.schema().classes.size());
      std::vector<double> p(s.size());
      scores_in_c(row.data(), s.data());
      proba_in_c(row.data(), p.data());
      ASSERT_EQ(static_cast<std::int32_t>(class_in_c(row.data())), labels[i]) << "seed " << seed;
      for (std::size_t k = 0; k < s.size(); ++k) {
        if (exact)
          ASSERT_EQ(s[k], scores.row(i)[k]) << "seed " << seed;
        else
          ASSERT_NEAR(s[k], scores.row(i)[k], 2e-6 * (1 + std::abs(s[k]))) << "seed " << seed;
        ASSERT_NEAR(p[k], static_cast<double>(proba.row(i)[k]), 1e-6) << "seed " << seed;
      }
    }
  }
  dlclose(library);
}

TEST(HeaderExport, NamesNoProbabilitiesWhereThereAreNone) {
  Ensemble ensemble = random_ensemble({5, 3, 3, 3, 2, 6}, 1);
  ensemble.link = Link::kNone;
  const std::string text = to_header(make_model(std::make_shared<Ensemble>(ensemble)), "m");
  EXPECT_NE(text.find("m_scores(row, scores)"), std::string::npos);
  EXPECT_EQ(text.find("m_proba"), std::string::npos);
}

}  // namespace
}  // namespace simplexboost
