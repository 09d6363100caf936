#include "mpi/mpi_peers.h"

#include <fmt/format.h>
#include <mpi.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <fstream>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "mpi/start_guard.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestMessage = std::size_t{1} << 30;  // MPI counts with int
constexpr auto kLook = std::chrono::milliseconds(50);          // how often signs are looked for
constexpr auto kBeat = std::chrono::milliseconds(500);
constexpr auto kSpeech = std::chrono::seconds(6);  // a wait for who speaks, and a second a rank

enum Tag : int { kWorkTag = 0, kLifeTag = 1, kFailureTag = 2, kSpokenTag = 3, kEndTag = 4 };

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Where a rank runs. Processes of one host and one space of process numbers see each other.
struct RankPlace {
  std::array<char, 64> host{};
  std::array<char, 32> space{};
  std::int64_t process = 0;

  bool sees(const RankPlace& other) const { return host == other.host && space == other.space; }
};

RankPlace own_place() {
  RankPlace place;
  ::gethostname(place.host.data(), place.host.size() - 1);
  if (::readlink("/proc/self/ns/pid", place.space.data(), place.space.size() - 1) < 0)
    place.space = {};
  place.process = ::getpid();
  return place;
}

// Gone, or dead and not yet taken notice of by who started it.
bool has_ended(std::int64_t process) {
  if (::kill(static_cast<pid_t>(process), 0) != 0) return errno == ESRCH;
  std::ifstream stat(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');  // the name may hold anything
  return name_end != std::string::npos && text.compare(name_end + 1, 2, " Z") == 0;
}

void require_success(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw CommunicationError(fmt::format("{}: {}", what, text.data()));
}

// The thread that watches shares MPI with the one that trains.
class MpiRanks final : public MpiPeers {
 public:
  MpiRanks(const RankLimits& limits, GiveUp give_up) : limits_(limits) {
    const StartGuard guard(limits.start, std::move(give_up));
    int level = 0;
    ::prctl(PR_SET_TIMERSLACK, 1'000UL);  // sleeps of microseconds, not of 50 of them
    // MPI need not yield where await() sleeps.
    ::setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);  // NOLINT(concurrency-mt-unsafe)
    require_success(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), "MPI_Init");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    if (level < MPI_THREAD_MULTIPLE)
      throw CommunicationError(
          "this MPI does not serve two threads (MPI_THREAD_MULTIPLE); use "
          "one that does, as Debian's Open MPI");
    for (MPI_Comm* const one : {&work_, &watch_}) {
      MPI_Comm_dup(MPI_COMM_WORLD, one);
      MPI_Comm_set_errhandler(*one, MPI_ERRORS_RETURN);
    }
    places_.resize(static_cast<std::size_t>(size_));
    const RankPlace mine = own_place();
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, places_.data(), sizeof(mine), MPI_BYTE, work_);
    last_sign_ = Clock::now();
    if (size_ > 1) watcher_ = std::thread([this] { watch(); });
  }

  ~MpiRanks() override { stop_watching(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in,
                int from) override {
    for (std::size_t at = 0; at < std::max(out.size(), in.size()); at += kLongestMessage) {
      const auto piece = [at](auto whole) {
        const std::size_t begin = std::min(at, whole.size());
        return whole.subspan(begin, std::min(kLongestMessage, whole.size() - begin));
      };
      exchange_piece(piece(out), to, piece(in), from);
    }
  }

  // The first reason is the one that counts.
  void fail(const std::string& reason) noexcept override try {
    const std::string text = fmt::format("{}: {}", name_of(rank_), reason);
    {
      const std::lock_guard lock(mutex_);
      if (!reason_.empty()) return;
      take_reason(rank_, text);
    }
    told_ = fmt::format("{}\n{}", rank_, text);
    for (int r = 0; r < size_; ++r)
      if (r != rank_) send(r, kFailureTag, told_);
  } catch (...) {  // the others notice when this process ends
  }

  // Each tells all others, and not a barrier of MPI's, which would not say who has not come.
  void finish() override {
    std::vector<MPI_Request> requests;
    std::vector<int> others;
    for (const bool takes : {true, false})
      for (int r = 0; r < size_; ++r) {
        if (r == rank_) continue;
        others.push_back(r);
        MPI_Request& one = requests.emplace_back();
        require_success(takes ? MPI_Irecv(nullptr, 0, MPI_BYTE, r, kEndTag, work_, &one)
                              : MPI_Isend(nullptr, 0, MPI_BYTE, r, kEndTag, work_, &one),
                        "the end");
      }
    await(requests, others);
    stop_watching();
  }

  bool lost() const override { return dead_; }

  void throw_if_failed() const override {
    if (!failed_) return;
    const std::lock_guard lock(mutex_);
    throw CommunicationError(reason_);
  }

  double patience() const override { return limits_.patience; }

  bool speaks() const override {
    const std::lock_guard lock(mutex_);
    return rank_ == (culprit_ == 0 && dead_ ? 1 : 0);
  }

  void have_spoken() noexcept override {
    for (int r = 0; r < size_; ++r)
      if (r != rank_) send(r, kSpokenTag, spoken_text_);
    std::this_thread::sleep_for(4 * kLook);  // let it go out
  }

  // Who was given up by the others, and wakes up after all, has nothing to add. Where the speaker
  // is dead as well, the next rank that lives takes its place, and not all of them at once.
  bool await_speaker() noexcept override {
    std::unique_lock lock(mutex_);
    if (dead_ && culprit_ == rank_) return true;
    return changed_.wait_for(lock, kSpeech + std::chrono::seconds(rank_), [&] { return spoken_; });
  }

  void leave() noexcept override {
    stop_watching();
    // With a dead rank MPI_Finalize would wait for it.
    if (dead_) return end_silent();
    ::alarm(5);
    MPI_Finalize();
    ::alarm(0);
  }

 private:
  std::string name_of(int rank) const {
    return fmt::format("rank {} on {}", rank, places_[static_cast<std::size_t>(rank)].host.data());
  }

  // One that was given up, and is only stopped, may hold a lock that the launcher waits for before
  // it ends anything.
  void end_silent() const noexcept {
    const RankPlace& mine = places_[static_cast<std::size_t>(rank_)];
    const RankPlace& theirs = places_[static_cast<std::size_t>(std::max(culprit_, 0))];
    if (culprit_ != rank_ && theirs.sees(mine) && !has_ended(theirs.process))
      ::kill(static_cast<pid_t>(theirs.process), SIGKILL);
  }

  // Called with the lock.
  void take_reason(int culprit, const std::string& text) {
    reason_ = text;
    culprit_ = culprit;
    failed_ = true;
    changed_.notify_all();
  }

  void exchange_piece(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) {
    throw_if_failed();
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (!in.empty())
      require_success(MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_BYTE, from, kWorkTag,
                                work_, requests.data()),
                      "MPI_Irecv");
    if (!out.empty())
      require_success(MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_BYTE, to, kWorkTag,
                                work_, &requests[1]),
                      "MPI_Isend");
    await(requests, std::array{from, to});
  }

  // Looks often at first, since messages mostly come soon; then sleeps in between. To yield instead
  // would be to wait for all others that want the processor, tenths of a second on a busy machine.
  // `others`: the rank that each request waits for.
  void await(std::span<MPI_Request> requests, std::span<const int> others) {
    constexpr int kEager = 100;
    constexpr int kSoon = 2'000;
    const Clock::time_point begin = Clock::now();
    for (int look = 0;; ++look) {
      int done = 0;
      const int code = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                                   MPI_STATUSES_IGNORE);
      if (code == MPI_SUCCESS && done != 0) return;
      if (code != MPI_SUCCESS) {
        await_verdict();
        require_success(code, name_of(first_missing(requests, others)).c_str());
      }
      if (failed_) {
        if (requests[0] != MPI_REQUEST_NULL) MPI_Cancel(requests.data());
        throw_if_failed();
      }
      if (look < kEager) continue;
      if (seconds_since(begin) > limits_.patience) give_up(first_missing(requests, others));
      std::this_thread::sleep_for(std::chrono::microseconds(look < kSoon ? 10 : 200));
    }
  }

  // Whom the first wait that is not over is for; this rank itself where all are.
  int first_missing(std::span<MPI_Request> requests, std::span<const int> others) const {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      int done = 0;
      if (MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done == 0)
        return others[i];
    }
    return rank_;
  }

  // It may live, but there is no more waiting for it.
  void give_up(int late) {
    if (late == rank_) return;
    bury(late, fmt::format("has kept {} waiting for {:.0f} s", name_of(rank_), limits_.patience));
  }

  // MPI knows that something is wrong; the watcher may know what.
  void await_verdict() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(2), [&] { return !reason_.empty(); });
    if (!reason_.empty()) throw CommunicationError(reason_);
  }

  // Texts outlive the sending: nobody waits for it.
  void send(int to, int tag, const std::string& text) noexcept {
    MPI_Request request{};
    if (MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, watch_,
                  &request) == MPI_SUCCESS)
      MPI_Request_free(&request);
  }

  // Where this process is the one that was stopped, what the others say of it comes in first, and
  // none of them is silent for that.
  void watch() {
    Clock::time_point beat{};
    Clock::time_point look = Clock::now();
    Clock::time_point woken{};
    const auto sleep = std::chrono::duration<double>(limits_.silence / 2);
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kLook, [&] { return ended_; })) {
      lock.unlock();
      const Clock::time_point now = Clock::now();
      if (now - look > sleep) last_sign_ = woken = now;
      look = now;
      if (now - beat >= kBeat) {
        send((rank_ + 1) % size_, kLifeTag, life_text_);
        beat = now;
      }
      take_messages();
      if (now - woken > sleep) look_for_dead();
      lock.lock();
    }
  }

  void take_messages() {
    for (;;) {
      int there = 0;
      MPI_Status status{};
      if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, watch_, &there, &status) != MPI_SUCCESS ||
          there == 0)
        return;
      int length = 0;
      MPI_Get_count(&status, MPI_CHAR, &length);
      std::string text(static_cast<std::size_t>(length), '\0');
      if (MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, watch_,
                   MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return;
      take_message(status.MPI_TAG, text);
    }
  }

  void take_message(int tag, const std::string& text) {
    if (tag == kLifeTag) {
      last_sign_ = Clock::now();
      return;
    }
    const std::lock_guard lock(mutex_);
    if (tag == kSpokenTag) {
      spoken_ = true;
      changed_.notify_all();
      return;
    }
    const std::size_t line = text.find('\n');
    if (!reason_.empty() || line == std::string::npos) return;
    const int culprit = std::atoi(text.c_str());
    // Who is told of its own death lives, but too late.
    dead_ = dead_ || text[0] == '-';
    take_reason(std::abs(culprit) - (text[0] == '-' ? 1 : 0), text.substr(line + 1));
  }

  void look_for_dead() {
    if (failed_) return;
    for (int r = 0; r < size_; ++r) {
      const RankPlace& place = places_[static_cast<std::size_t>(r)];
      const RankPlace& mine = places_[static_cast<std::size_t>(rank_)];
      if (r != rank_ && place.sees(mine) && has_ended(place.process))
        return bury(r, "its process ended without a word (killed, or out of memory?)");
    }
    if (seconds_since(last_sign_) > limits_.silence)
      bury((rank_ + size_ - 1) % size_,
           fmt::format("no sign of life for {:.0f} s (stopped, overloaded, or its machine or the "
                       "network is gone?)",
                       limits_.silence));
  }

  // As fail(), of another rank that cannot say it itself, or comes too late. Its number is told as
  // -1 - rank, to itself as well.
  void bury(int dead, const std::string& why) {
    const std::string text = fmt::format("{}: {}", name_of(dead), why);
    {
      const std::lock_guard lock(mutex_);
      if (!reason_.empty()) return;
      dead_ = true;
      take_reason(dead, text);
    }
    told_ = fmt::format("{}\n{}", -1 - dead, text);
    for (int r = 0; r < size_; ++r)
      if (r != rank_) send(r, kFailureTag, told_);
  }

  void stop_watching() noexcept {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    }
    if (watcher_.joinable()) watcher_.join();
  }

  RankLimits limits_;
  int rank_ = 0;
  int size_ = 1;
  MPI_Comm work_ = MPI_COMM_NULL;
  MPI_Comm watch_ = MPI_COMM_NULL;
  std::vector<RankPlace> places_;
  Clock::time_point last_sign_;  // of the rank before this one; the watcher's own
  const std::string life_text_ = "lives";
  const std::string spoken_text_ = "spoken";
  std::string told_;
  std::thread watcher_;
  std::atomic<bool> failed_ = false;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool ended_ = false;
  bool spoken_ = false;
  std::atomic<bool> dead_ = false;  // some rank, which cannot take part in an end
  int culprit_ = -1;
  std::string reason_;
};

}  // namespace
}  // namespace simplexboost

extern "C" __attribute__((visibility("default"))) simplexboost::MpiPeers* simplexboost_start_peers(
    const simplexboost::RankLimits& limits, simplexboost::GiveUp give_up) {
  return new simplexboost::MpiRanks(limits, std::move(give_up));
}
