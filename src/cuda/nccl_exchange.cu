// Sums from GPU to GPU by NVIDIA's library NCCL, which is looked for when it is wanted and need not
// be there.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/communicator.h"
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
    find(all_reduce, "ncclAllReduce");
    find(begin, "ncclGroupStart");
    find(end, "ncclGroupEnd");
    find(text, "ncclGetErrorString");
  }
  bool complete() const {
    return unique_id && init && destroy && all_reduce && begin && end && text;
  }
  void check(ncclResult_t result) const {
    if (result != ncclSuccess)
      throw IoError(std::string("the GPUs failed in a sum (NCCL: ") + text(result) +
                    "); start the training again, or use --device cpu");
  }
};

const Nccl& nccl() {
  static const Nccl library;
  return library;
}

class NcclExchange final : public DeviceExchange {
 public:
  NcclExchange(ncclComm_t ranks, cudaStream_t stream) : ranks_(ranks), stream_(stream) {}
  ~NcclExchange() override { nccl().destroy(ranks_); }

  void add_up(std::span<std::int32_t* const> arrays, std::size_t count) override {
    nccl().check(nccl().begin());
    for (std::int32_t* const array : arrays)
      nccl().check(nccl().all_reduce(array, array, count, ncclInt32, ncclSum, ranks_, stream_));
    nccl().check(nccl().end());
  }

 private:
  ncclComm_t ranks_;
  cudaStream_t stream_;
};

// Whether the ranks have a GPU each: NCCL does not take two of one.
bool distinct_devices(Communicator& ranks) {
  int number = 0;
  char name[64] = {};
  cudaGetDevice(&number);
  cudaDeviceGetPCIBusId(name, sizeof name, number);
  const std::vector<char> all = gather_values<char>(ranks, name);
  for (std::size_t i = 0; i < all.size(); i += sizeof name)
    for (std::size_t j = 0; j < i; j += sizeof name)
      if (std::memcmp(all.data() + i, all.data() + j, sizeof name) == 0) return false;
  return true;
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
  return std::make_unique<NcclExchange>(made, static_cast<cudaStream_t>(stream));
}

#else

std::unique_ptr<DeviceExchange> make_nccl_exchange(Communicator&, void*) { return nullptr; }

#endif

}  // namespace simplexboost
