// Runs a command and watches its system calls on files (ptrace): writes a list of them, lets one
// of them fail, cuts one short, or kills the process at one. So a full disk, a bad sector or the
// end of a process can be put at any point of a run, whichever library makes the call.
//
//   simplexboost_tracer [--log FILE] [--data] [--fail K=ERRNO [--from]] [--short K] [--kill K]
//                       -- COMMAND [ARGUMENTS]
//
// The log has a JSON object a line for each call, in the order in which they began, and one for the
// end. Calls are counted from 1; those of the dynamic loader are not.
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct CallKind {
  std::uint64_t number;
  std::string_view name;
  int fd;         // the argument that is a file descriptor, or the folder of `path`; -1: none
  int path;       // the argument that is a path; -1: none
  int second_fd;  // the same of the new name
  int second_path;
};

constexpr std::array kCalls = {
    CallKind{SYS_open, "open", -1, 0, -1, -1},
    CallKind{SYS_openat, "openat", 0, 1, -1, -1},
    CallKind{SYS_creat, "creat", -1, 0, -1, -1},
    CallKind{SYS_read, "read", 0, -1, -1, -1},
    CallKind{SYS_pread64, "pread64", 0, -1, -1, -1},
    CallKind{SYS_readv, "readv", 0, -1, -1, -1},
    CallKind{SYS_write, "write", 0, -1, -1, -1},
    CallKind{SYS_pwrite64, "pwrite64", 0, -1, -1, -1},
    CallKind{SYS_writev, "writev", 0, -1, -1, -1},
    CallKind{SYS_close, "close", 0, -1, -1, -1},
    CallKind{SYS_fstat, "fstat", 0, -1, -1, -1},
    CallKind{SYS_stat, "stat", -1, 0, -1, -1},
    CallKind{SYS_lstat, "lstat", -1, 0, -1, -1},
    CallKind{SYS_newfstatat, "newfstatat", 0, 1, -1, -1},
    CallKind{SYS_statx, "statx", 0, 1, -1, -1},
    CallKind{SYS_lseek, "lseek", 0, -1, -1, -1},
    CallKind{SYS_fsync, "fsync", 0, -1, -1, -1},
    CallKind{SYS_fdatasync, "fdatasync", 0, -1, -1, -1},
    CallKind{SYS_ftruncate, "ftruncate", 0, -1, -1, -1},
    CallKind{SYS_fallocate, "fallocate", 0, -1, -1, -1},
    CallKind{SYS_rename, "rename", -1, 0, -1, 1},
    CallKind{SYS_renameat, "renameat", 0, 1, 2, 3},
    CallKind{SYS_renameat2, "renameat2", 0, 1, 2, 3},
    CallKind{SYS_link, "link", -1, 0, -1, 1},
    CallKind{SYS_linkat, "linkat", 0, 1, 2, 3},
    CallKind{SYS_unlink, "unlink", -1, 0, -1, -1},
    CallKind{SYS_unlinkat, "unlinkat", 0, 1, -1, -1},
    CallKind{SYS_mkdir, "mkdir", -1, 0, -1, -1},
    CallKind{SYS_mkdirat, "mkdirat", 0, 1, -1, -1},
    CallKind{SYS_rmdir, "rmdir", -1, 0, -1, -1},
    CallKind{SYS_access, "access", -1, 0, -1, -1},
    CallKind{SYS_faccessat, "faccessat", 0, 1, -1, -1},
    CallKind{SYS_faccessat2, "faccessat2", 0, 1, -1, -1},
    CallKind{SYS_readlink, "readlink", -1, 0, -1, -1},
    CallKind{SYS_readlinkat, "readlinkat", 0, 1, -1, -1},
    CallKind{SYS_fchmod, "fchmod", 0, -1, -1, -1},
    CallKind{SYS_chmod, "chmod", -1, 0, -1, -1},
    CallKind{SYS_fchmodat, "fchmodat", 0, 1, -1, -1},
    CallKind{SYS_getdents64, "getdents64", 0, -1, -1, -1},
    CallKind{SYS_flock, "flock", 0, -1, -1, -1},
};

constexpr std::array<std::pair<std::string_view, int>, 7> kErrors = {{{"ENOSPC", ENOSPC},
                                                                      {"EIO", EIO},
                                                                      {"EINTR", EINTR},
                                                                      {"EACCES", EACCES},
                                                                      {"EMFILE", EMFILE},
                                                                      {"EDQUOT", EDQUOT},
                                                                      {"EROFS", EROFS}}};

struct Options {
  std::string log;
  bool data = false;     // the log holds the bytes that were written
  std::size_t fail = 0;  // this call fails ...
  int error = 0;         // ... by this error
  bool from = false;     // and so do later ones of its kind, as on a disk that stays full
  std::size_t cut = 0;   // this call moves half of its bytes
  std::size_t kill = 0;  // the process is killed when it is about to make this call
  std::vector<char*> command;
};

[[noreturn]] void die(const std::string& what) {
  std::cerr << "simplexboost_tracer: " << what << '\n';
  std::exit(3);
}

std::size_t number(std::string_view text) {
  return static_cast<std::size_t>(std::strtoull(std::string(text).c_str(), nullptr, 10));
}

void parse_failure(Options& options, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) die("--fail needs K=ERRNO");
  options.fail = number(text.substr(0, equals));
  for (const auto& [name, code] : kErrors)
    if (name == text.substr(equals + 1)) options.error = code;
  if (options.error == 0) die("unknown error " + std::string(text.substr(equals + 1)));
}

Options parse(int count, char** words) {
  Options options;
  int at = 1;
  for (; at < count && std::string_view(words[at]) != "--"; ++at) {
    const std::string_view word = words[at];
    if (word == "--data") {
      options.data = true;
    } else if (word == "--from") {
      options.from = true;
    } else if (at + 1 >= count) {
      die("no value for " + std::string(word));
    } else if (word == "--log") {
      options.log = words[++at];
    } else if (word == "--fail") {
      parse_failure(options, words[++at]);
    } else if (word == "--short") {
      options.cut = number(words[++at]);
    } else if (word == "--kill") {
      options.kill = number(words[++at]);
    } else {
      die("unknown option " + std::string(word));
    }
  }
  for (++at; at < count; ++at) options.command.push_back(words[at]);
  if (options.command.empty()) die("no command; give it behind --");
  options.command.push_back(nullptr);
  return options;
}

std::string link_of(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  target.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return target;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

std::string hex(const std::vector<unsigned char>& bytes, std::size_t size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < std::min(size, bytes.size()); ++i) {
    out += kDigits[bytes[i] / 16];
    out += kDigits[bytes[i] % 16];
  }
  return out;
}

// The memory, files and names of the traced process, from outside.
class Process {
 public:
  explicit Process(pid_t thread) : thread_(thread), folder_("/proc/" + std::to_string(thread)) {}

  std::vector<unsigned char> bytes(std::uint64_t address, std::size_t size) const {
    std::vector<unsigned char> out(size);
    iovec local{out.data(), size};
    iovec remote{reinterpret_cast<void*>(address), size};
    const ssize_t got = ::process_vm_readv(thread_, &local, 1, &remote, 1, 0);
    out.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return out;
  }

  std::string text(std::uint64_t address) const {
    std::string out;
    while (out.size() < PATH_MAX) {
      // Not over the end of a page: the next one may not be there.
      const std::size_t step = 256 - address % 256;
      const auto piece = bytes(address, step);
      if (piece.empty()) break;
      const auto end = std::find(piece.begin(), piece.end(), 0);
      out.append(piece.begin(), end);
      if (end != piece.end()) break;
      address += step;
    }
    return out;
  }

  std::string path_of(int file) const {
    return link_of(folder_ + (file == AT_FDCWD ? "/cwd" : "/fd/" + std::to_string(file)));
  }

  std::string absolute(int folder, const std::string& path) const {
    if (path.starts_with('/')) return path;
    const std::string base = path_of(folder);
    return path.empty() ? base : base + (base.ends_with('/') ? "" : "/") + path;
  }

  std::uint64_t inode_of(int file) const {
    struct stat info {};
    return ::stat((folder_ + "/fd/" + std::to_string(file)).c_str(), &info) == 0 ? info.st_ino : 0;
  }

  // Where the next write goes.
  std::int64_t position_of(int file) const {
    std::ifstream info(folder_ + "/fdinfo/" + std::to_string(file));
    std::string key;
    std::string value;
    std::int64_t position = 0;
    for (; info >> key >> value;) {
      if (key == "pos:") position = std::strtoll(value.c_str(), nullptr, 10);
      if (key == "flags:" && (std::strtoll(value.c_str(), nullptr, 8) & O_APPEND) != 0) {
        struct stat status {};
        if (::stat((folder_ + "/fd/" + std::to_string(file)).c_str(), &status) == 0)
          return status.st_size;
      }
    }
    return position;
  }

  // All that a write hands over.
  std::vector<unsigned char> written(std::string_view name, const std::uint64_t* arguments) const {
    if (name != "writev") return bytes(arguments[1], arguments[2]);
    std::vector<unsigned char> all;
    for (std::uint64_t i = 0; i < arguments[2]; ++i) {
      const auto raw = bytes(arguments[1] + i * sizeof(iovec), sizeof(iovec));
      iovec piece{};
      if (raw.size() == sizeof piece) std::memcpy(&piece, raw.data(), sizeof piece);
      const auto part = bytes(reinterpret_cast<std::uint64_t>(piece.iov_base), piece.iov_len);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

 private:
  pid_t thread_;
  std::string folder_;
};

struct Pending {
  const CallKind* kind = nullptr;
  std::size_t index = 0;
  std::string path;
  std::string second;
  std::uint64_t flags = 0;  // of an open
  std::uint64_t inode = 0;
  std::int64_t offset = 0;
  std::vector<unsigned char> data;
  int forced = 0;  // the error to give
};

bool is_write(std::string_view name) {
  return name == "write" || name == "pwrite64" || name == "writev";
}

// A full disk does not fill pipes.
bool is_stream(const std::string& path) {
  return path.starts_with("pipe:") || (path.starts_with("/dev/") && !path.starts_with("/dev/shm/"));
}

bool is_open(std::string_view name) { return name.starts_with("open") || name == "creat"; }

// Libraries and the loader's own files: before the command's first line.
bool of_loader(const std::string& path) {
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  return path.starts_with("/etc/ld.so") || name.ends_with(".so") ||
         name.find(".so.") != std::string_view::npos;
}

class Tracer {
 public:
  explicit Tracer(Options options) : options_(std::move(options)) {
    if (!options_.log.empty()) {
      log_.open(options_.log, std::ios::binary | std::ios::trunc);
      if (!log_) die("cannot write " + options_.log);
    }
  }

  // The command's exit status, or 128 and the number of the signal that ended it.
  int run() {
    const pid_t child = ::fork();
    if (child < 0) die("cannot fork");
    if (child == 0) start();
    main_ = child;
    int status = 0;
    if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) die("the command is gone");
    constexpr long kWanted = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
                             PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
    if (::ptrace(PTRACE_SETOPTIONS, child, 0, kWanted) != 0) die("ptrace is not allowed here");
    threads_[child] = {};
    resume(child, 0);
    return follow();
  }

 private:
  [[noreturn]] void start() {
    ::ptrace(PTRACE_TRACEME, 0, 0, 0);
    ::closefrom(STDERR_FILENO + 1);  // not the log
    std::raise(SIGSTOP);
    ::execvp(options_.command[0], options_.command.data());
    std::perror(options_.command[0]);
    std::_Exit(127);
  }

  static void resume(pid_t thread, int signal) { ::ptrace(PTRACE_SYSCALL, thread, 0, signal); }

  int follow() {
    int result = 0;
    for (;;) {
      int status = 0;
      const pid_t thread = ::waitpid(-1, &status, __WALL);
      if (thread < 0) break;
      if (!WIFSTOPPED(status)) {
        threads_.erase(thread);
        if (thread == main_) result = end(status);
        continue;
      }
      stopped(thread, status);
    }
    return result;
  }

  int end(int status) {
    if (WIFSIGNALED(status)) {
      log_ << R"({"end":"signal","value":)" << WTERMSIG(status) << "}\n";
      return 128 + WTERMSIG(status);
    }
    log_ << R"({"end":"exit","value":)" << WEXITSTATUS(status) << "}\n";
    return WEXITSTATUS(status);
  }

  void stopped(pid_t thread, int status) {
    const bool is_new = threads_.try_emplace(thread).second;
    const int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      system_call(thread);
      resume(thread, 0);
    } else if (status >> 16 != 0 || (is_new && signal == SIGSTOP)) {
      resume(thread, 0);  // a clone, a fork or an exec, and the first stop of what it made
    } else {
      resume(thread, signal);
    }
  }

  void system_call(pid_t thread) {
    __ptrace_syscall_info info{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
      threads_[thread] = {};
      entered(thread, info.entry.nr, info.entry.args);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
      left(thread, info.exit.rval);
    }
  }

  void entered(pid_t thread, std::uint64_t call, const std::uint64_t* arguments) {
    const auto* kind = std::find_if(kCalls.begin(), kCalls.end(),
                                    [&](const CallKind& known) { return known.number == call; });
    if (kind == kCalls.end()) return;
    Pending pending = describe(thread, *kind, arguments);
    if (of_loader(pending.path)) return;
    pending.index = ++count_;
    if (options_.kill == pending.index) ::kill(main_, SIGKILL);
    if (fails(pending)) {
      pending.forced = options_.error;
      // A close that fails has closed the file all the same.
      if (kind->name != "close")
        change(thread, [](user_regs_struct& registers) { registers.orig_rax = ~0ULL; });
    }
    if (options_.cut == pending.index && arguments[2] > 1)
      change(thread, [&](user_regs_struct& registers) { registers.rdx = arguments[2] / 2; });
    threads_[thread] = std::move(pending);
  }

  bool fails(const Pending& pending) {
    if (options_.fail == 0 || pending.index < options_.fail) return false;
    if (pending.index == options_.fail) {
      failing_ = pending.kind;
      failing_stream_ = is_stream(pending.path);
      return true;
    }
    return options_.from && pending.kind == failing_ && is_stream(pending.path) == failing_stream_;
  }

  static int descriptor(std::uint64_t argument) { return static_cast<int>(argument); }

  Pending describe(pid_t thread, const CallKind& kind, const std::uint64_t* arguments) const {
    const Process process(thread);
    Pending pending;
    pending.kind = &kind;
    const int file =
        kind.fd < 0 ? AT_FDCWD : descriptor(arguments[static_cast<std::size_t>(kind.fd)]);
    if (kind.path < 0) {
      pending.path = process.path_of(file);
      pending.inode = process.inode_of(file);
    } else {
      pending.path =
          process.absolute(file, process.text(arguments[static_cast<std::size_t>(kind.path)]));
    }
    if (kind.second_path >= 0) {
      const int second = kind.second_fd < 0
                             ? AT_FDCWD
                             : descriptor(arguments[static_cast<std::size_t>(kind.second_fd)]);
      pending.second = process.absolute(
          second, process.text(arguments[static_cast<std::size_t>(kind.second_path)]));
    }
    if (is_open(kind.name))
      pending.flags = kind.name == "creat" ? (O_CREAT | O_TRUNC | O_WRONLY)
                                           : arguments[kind.name == "openat" ? 2 : 1];
    if (kind.name == "ftruncate") pending.offset = static_cast<std::int64_t>(arguments[1]);
    if (is_write(kind.name)) {
      pending.offset = kind.name == "pwrite64" ? static_cast<std::int64_t>(arguments[3])
                                               : process.position_of(file);
      if (options_.data) pending.data = process.written(kind.name, arguments);
    }
    return pending;
  }

  template <class Change>
  static void change(pid_t thread, const Change& apply) {
    user_regs_struct registers{};
    ::ptrace(PTRACE_GETREGS, thread, 0, &registers);
    apply(registers);
    ::ptrace(PTRACE_SETREGS, thread, 0, &registers);
  }

  void left(pid_t thread, std::int64_t result) {
    Pending& pending = threads_[thread];
    if (pending.kind == nullptr) return;
    if (pending.forced != 0) {
      result = -pending.forced;
      change(thread, [&](user_regs_struct& registers) {
        registers.rax = static_cast<unsigned long long>(result);
      });
    }
    if (is_open(pending.kind->name) && result >= 0)
      pending.inode = Process(thread).inode_of(static_cast<int>(result));
    write_log(pending, result);
    pending = {};
  }

  void write_log(const Pending& pending, std::int64_t result) {
    if (!log_.is_open()) return;
    log_ << "{\"call\":" << pending.index << ",\"name\":" << json_text(pending.kind->name)
         << ",\"path\":" << json_text(pending.path) << ",\"result\":" << result
         << ",\"inode\":" << pending.inode;
    if (!pending.second.empty()) log_ << ",\"to\":" << json_text(pending.second);
    if (is_open(pending.kind->name)) log_ << ",\"flags\":" << pending.flags;
    if (is_write(pending.kind->name) || pending.kind->name == "ftruncate")
      log_ << ",\"offset\":" << pending.offset;
    if (options_.data && is_write(pending.kind->name) && result > 0)
      log_ << R"(,"data":")" << hex(pending.data, static_cast<std::size_t>(result)) << '"';
    log_ << "}\n";
  }

  Options options_;
  std::ofstream log_;
  pid_t main_ = 0;
  std::size_t count_ = 0;
  const CallKind* failing_ = nullptr;
  bool failing_stream_ = false;
  std::map<pid_t, Pending> threads_;
};

}  // namespace

int main(int count, char** words) {
  const int status = Tracer(parse(count, words)).run();
  if (status <= 128) return status;
  // Ends as the command did, so that its caller sees the same.
  std::signal(status - 128, SIG_DFL);
  std::raise(status - 128);
  return status;
}
