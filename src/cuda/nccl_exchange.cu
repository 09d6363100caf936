// Sums from GPU to GPU by NVIDIA's library NCCL, which is looked for when it is wanted and need not
// be there.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <chrono>
#include <exception>
#include <string>
#include <thread>

#include "base/peers.h"
#include "cuda/cuda_backend.h"
#include "cuda/device_exchange.h"
#include "simplexboost/error.h"

#if __has_include(<nccl.h>)
#include <nccl.h>
#define SIMPLEXBOOST_NCCL
#endif

namespace simplexboost {

#if defined(SIMPLEXBOOST_NCCL)
namespace {

// The functions that are used, out of the shared library.
struct Nccl {
  decltype(&ncclGetUniqueId) unique_id = nullptr;
  decltype(&ncclCommInitRank) init = nullptr;
  decltype(&ncclCommDestroy) destroy = nullptr;
  decltype(&ncclCommAbort) abort = nullptr;
  decltype(&ncclCommGetAsyncError) async_error = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclGroupStart) begin = nullptr;
  decltype(&ncclGroupEnd) end = nullptr;
  decltype(&ncclGetErrorString) text = nullptr;

  Nccl() {
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    };
    find(unique_id, "ncclGetUniqueId");
    find(init, "ncclCommInitRank");
    find(destroy, "ncclCommDestroy");
    find(abort, "ncclCommAbort");
    find(async_error, "ncclCommGetAsyncError");
    find(all_reduce, "ncclAllReduce");
    find(begin, "ncclGroupStart");
    find(end, "ncclGroupEnd");
    find(text, "ncclGetErrorString");
  }
  bool complete() const {
    return unique_id && init && destroy && abort && async_error && all_reduce && begin && end &&
           text;
  }
  void check(ncclResult_t result) const {
    if (result != ncclSuccess)
      throw DeviceLost("sum over GPUs", std::string("NCCL: ") + text(result));
  }
};

const Nccl& nccl() {
  static const Nccl library;
  return library;
}

// A sum waits for all ranks, and one that has died or thrown never comes: so a rank does not wait
// for its stream without looking at what the others say, and aborts a sum that will not end before
// anybody else waits for it, as those do who give memory back.
class NcclExchange final : public DeviceExchange {
 public:
  NcclExchange(ncclComm_t made, Communicator& ranks, cudaStream_t stream)
      : nccl_(made),
        peers_(dynamic_cast<const PeerCommunicator*>(&ranks)),
        patience_(peers_ ? peers_->patience() : Peers::kPatience),
        stream_(stream) {}
  // While an exception passes, another rank may be in a sum that this one does not come to.
  ~NcclExchange() override {
    if (std::uncaught_exceptions() > 0) abort();
    if (nccl_) nccl().destroy(nccl_);
  }

  void add_up(std::span<std::int32_t* const> arrays, std::size_t count) override {
    try {
      nccl().check(nccl().begin());
      for (std::int32_t* const array : arrays)
        nccl().check(nccl().all_reduce(array, array, count, ncclInt32, ncclSum, nccl_, stream_));
      nccl().check(nccl().end());
      await();
    } catch (...) {
      abort();
      throw;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  void abort() {
    if (nccl_) nccl().abort(nccl_);
    nccl_ = nullptr;
  }

  // Looks often at first, then sleeps in between, as MpiPeers does.
  void await() const {
    constexpr int kEager = 2'000;
    const Clock::time_point begin = Clock::now();
    for (int look = 0;; ++look) {
      const cudaError_t state = cudaStreamQuery(stream_);
      if (state == cudaSuccess) return;
      if (state != cudaErrorNotReady) throw DeviceLost("sum over GPUs", cudaGetErrorString(state));
      ncclResult_t result = ncclSuccess;
      nccl().check(nccl().async_error(nccl_, &result));
      if (result != ncclInProgress) nccl().check(result);
      if (look < kEager) continue;
      if (peers_) peers_->throw_if_failed();
      if (Clock::now() - begin > patience_)
        throw DeviceLost("sum over GPUs", "another rank did not come");
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  ncclComm_t nccl_;                // null: aborted
  const PeerCommunicator* peers_;  // null: ranks that cannot say that they failed
  std::chrono::duration<double> patience_;
  cudaStream_t stream_;
};

// NCCL does not take two ranks on one GPU. Machines number theirs alike.
bool distinct_devices(Communicator& ranks) {
  int number = 0;
  char name[64] = {};
  cudaGetDevice(&number);
  cudaDeviceGetPCIBusId(name, sizeof name, number);
  return all_differ(ranks, machine_name() + " " + name);
}

}  // namespace

std::unique_ptr<DeviceExchange> make_nccl_exchange(Communicator& ranks, void* stream) {
  std::int64_t missing = nccl().complete() ? 0 : 1;
  ranks.maximum({&missing, 1});
  if (missing != 0 || !distinct_devices(ranks)) return nullptr;
  ncclUniqueId id{};
  if (ranks.rank() == 0) nccl().check(nccl().unique_id(&id));
  ranks.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
  ncclComm_t made = nullptr;
  nccl().check(nccl().init(&made, ranks.size(), id, ranks.rank()));
  return std::make_unique<NcclExchange>(made, ranks, static_cast<cudaStream_t>(stream));
}

#else

std::unique_ptr<DeviceExchange> make_nccl_exchange(Communicator&, void*) { return nullptr; }

#endif

}  // namespace simplexboost
