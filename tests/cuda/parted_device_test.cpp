// Several ranks, each with a device of its own or two with one, train the model of one process.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/fake_cluster.h"
#include "boosting/labelled_data.h"
#include "boosting/parted_training.h"
#include "cuda/device_exchange.h"
#include "cuda/test_device.h"
#include "simplexboost/parameters.h"

namespace simplexboost {
namespace {

using testing::FakeCluster;
using testing::labelled_data;
using testing::parted_bytes;
using testing::shares_of;
using testing::test_device;
using testing::trained_bytes;

using Settings = std::vector<std::pair<std::string, std::string>>;

// That ranks with devices give the bytes of one process without any.
void expect_same(const Dataset& data, const Dataset* valid, const Settings& settings) {
  Parameters parameters;
  parameters.rounds = 3;
  for (const auto& [name, value] : settings) set_parameter(parameters, name, value);
  const std::string wanted = trained_bytes({data, valid}, parameters);
  parameters.device = test_device();
  for (const int ranks : {2, 3}) {
    const std::vector<Dataset> shares = valid ? shares_of(*valid, ranks) : std::vector<Dataset>();
    EXPECT_TRUE(parted_bytes(shares_of(data, ranks), shares, parameters) == wanted)
        << ranks << " ranks" << (settings.empty() ? "" : ", " + settings[0].second);
  }
}

TEST(DevicesOfRanks, WholeRounds) {
  const Dataset data = labelled_data({4100, 5, 5, true, 0.2}, 31);
  for (const char* loss : {"logistic", "exponential", "savage", "tangent"})
    expect_same(data, nullptr, {{"loss", loss}});
  expect_same(data, nullptr, {{"sketch", "0"}, {"leaves", "20"}});
  expect_same(data, nullptr, {{"row-fraction", "0.5"}, {"feature-fraction", "0.6"}});
}

TEST(DevicesOfRanks, WeightedRows) {
  Dataset data = labelled_data({3000, 4, 4, false, 0.2}, 32);
  for (std::size_t i = 0; i < data.rows; ++i)
    data.weights.push_back(0.5 + static_cast<double>(i * 7919 % 13) / 8);
  expect_same(data, nullptr, {{"loss", "logistic"}});
}

TEST(DevicesOfRanks, WholeRoundsOfGradientBoosting) {
  Dataset data = labelled_data({4100, 5, 5, true, 0.2}, 37);
  for (const char* loss : {"exponential", "savage"}) {
    expect_same(data, nullptr, {{"algorithm", "gd-mcboost"}, {"loss", loss}});
    expect_same(data, nullptr,
                {{"algorithm", "gd-mcboost"}, {"loss", loss}, {"leaf-values", "vector"}});
  }
  for (std::size_t i = 0; i < data.rows; ++i)
    data.weights.push_back(0.5 + static_cast<double>(i * 7919 % 13) / 8);
  expect_same(data, &data, {{"algorithm", "gd-mcboost"}, {"codewords", "all-pairs"}});
}

TEST(DevicesOfRanks, WholeRoundsOfVotes) {
  Dataset data = labelled_data({3000, 4, 5, true, 0.2}, 38);
  expect_same(data, &data, {{"algorithm", "samme"}});
  for (std::size_t i = 0; i < data.rows; ++i)
    data.weights.push_back(0.5 + static_cast<double>(i * 7919 % 13) / 8);
  expect_same(data, nullptr, {{"algorithm", "adaboost-m1"}});
}

TEST(DevicesOfRanks, TreesAlone) {
  const Dataset data = labelled_data({3000, 4, 5, true, 0.2}, 33);
  for (const char* algorithm : {"adaboost-mh", "logitboost"})
    expect_same(data, nullptr, {{"algorithm", algorithm}});
}

// Each rank passes its rows through its device in blocks where they have no room, others need not.
TEST(DevicesOfRanks, LittleMemory) {
  if (test_device() != "emulated") GTEST_SKIP() << "a GPU has the memory that it has";
  const Dataset data = labelled_data({9000, 4, 10, true, 0.2}, 36);
  Parameters parameters;
  parameters.rounds = 2;
  parameters.max_bins = 15;
  const std::string wanted = trained_bytes({data, nullptr}, parameters);
  parameters.device = "emulated:150000";
  EXPECT_TRUE(parted_bytes(shares_of(data, 2), {}, parameters) == wanted);
}

TEST(DevicesOfRanks, ValidationData) {
  const Dataset data = labelled_data({3000, 4, 5, true, 0.3}, 34);
  const Dataset valid = labelled_data({2500, 4, 5, true, 0.3}, 35);
  expect_same(data, &valid, {{"early-stopping", "3"}, {"rounds", "12"}, {"learning-rate", "0.6"}});
  expect_same(data, &valid, {{"loss", "savage"}});
}

// By machine, whatever the order of the ranks: the second rank of one takes its second GPU.
TEST(DevicesOfRanks, AreCountedOnEachMachine) {
  const std::vector<std::string> machines{"a", "a", "bb", "a", "", "bb"};
  const std::vector<int> wanted{0, 1, 0, 2, 0, 1};
  std::vector<int> found(machines.size());
  FakeCluster cluster(static_cast<int>(machines.size()));
  cluster.run([&](Communicator& ranks) {
    const auto me = static_cast<std::size_t>(ranks.rank());
    found[me] = rank_on_machine(ranks, machines[me]);
  });
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(rank_on_machine(no_others(), machine_name()), 0);
}

// GPUs of different machines have one number on the bus and are two all the same.
TEST(DevicesOfRanks, DifferByMachineAndNumber) {
  const auto differ = [](const std::vector<std::string>& names) {
    std::vector<int> told(names.size());
    FakeCluster cluster(static_cast<int>(names.size()));
    cluster.run([&](Communicator& ranks) {
      const auto me = static_cast<std::size_t>(ranks.rank());
      told[me] = all_differ(ranks, names[me]) ? 1 : 0;
    });
    EXPECT_EQ(std::count(told.begin(), told.end(), told[0]),
              static_cast<std::ptrdiff_t>(told.size()));
    return told[0] == 1;
  };
  EXPECT_TRUE(differ({"a 0000:1B", "a 0000:1C", "b 0000:1B"}));
  EXPECT_FALSE(differ({"a 0000:1B", "b 0000:1B", "a 0000:1B"}));
}

// NCCL takes no two ranks on one GPU: here it adds up one rank's numbers alone.
TEST(DevicesOfRanks, NcclOfOneRank) {
  const std::shared_ptr<Device> device = open_device(test_device());
  const std::unique_ptr<DeviceExchange> nccl = device->exchange_with(no_others());
  if (!nccl) GTEST_SKIP() << "no NCCL here";
  DeviceArray<std::int32_t> numbers(*device, "numbers");
  const std::vector<std::int32_t> given{3, -1, 4, 1 << 30};
  numbers.upload(given);
  std::int32_t* const arrays[] = {numbers.data(), numbers.data() + 2};
  nccl->add_up(arrays, 2);
  EXPECT_EQ(numbers.download(), given);
}

}  // namespace
}  // namespace simplexboost
