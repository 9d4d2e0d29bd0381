// Runs a command and stops it at its K-th system call of those that change files or send, before the call does anything: what a
// kill or a failing machine may leave, at every place at which it can make a difference.
//
//   stop_at_call [--all | --server] [--signal N | --fail ERRNO [--for-good | --for MS]] [--without-nameless-files] K COMMAND ...
//
// --all counts every system call, --server those alone that send or receive. --signal sends this signal in place of SIGKILL, and the
// command goes on. --fail has the call fail with this error (on x86-64 alone), with --for-good all that follow it, too, with --for those
// of the next milliseconds; sends do only with --server. With --without-nameless-files the command's file systems know no O_TMPFILE.
// K = 0 stops nothing and tells the number of calls.
// The last line on standard error is "calls N". Exit codes: the command's; 99 when it was killed; 98 when it cannot be traced.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int was_killed = 99;
constexpr int cannot_trace = 98;

struct Wish {
  bool all = false;
  bool server = false;
  bool without_nameless_files = false;
  bool for_good = false;
  std::chrono::milliseconds lasting{0};
  int signal = SIGKILL;
  int error = 0;
  long at = 0;
  char** command = nullptr;
};

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "stop_at_call: %s: %s\n", what, std::strerror(errno));
  std::_Exit(cannot_trace);
}

constexpr std::array changing{
    SYS_write,     SYS_pwrite64, SYS_writev,    SYS_pwritev,   SYS_pwritev2, SYS_fsync,     SYS_fdatasync,
    SYS_ftruncate, SYS_truncate, SYS_fallocate, SYS_renameat2, SYS_linkat,   SYS_unlinkat,  SYS_symlinkat,
    SYS_mkdirat,   SYS_fchmod,   SYS_fchmodat,  SYS_fchown,    SYS_fchownat, SYS_utimensat,
#ifdef SYS_rename
    SYS_rename,    SYS_link,     SYS_unlink,    SYS_symlink,   SYS_mkdir,    SYS_rmdir,     SYS_chmod,
#endif
};

bool writes(std::uint64_t flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0; }

bool counts(const __ptrace_syscall_info& info, const Wish& wish) {
  if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return false;
  if (wish.all) return true;
  const auto number = static_cast<long>(info.entry.nr);
  const bool sends = number == SYS_sendto || number == SYS_sendmsg;
  if (wish.server) return sends || number == SYS_recvfrom || number == SYS_recvmsg;
  if (sends) return wish.error == 0;
  if (number == SYS_openat) return writes(info.entry.args[2]);
#ifdef SYS_open
  if (number == SYS_open) return writes(info.entry.args[1]);
#endif
  return std::find(changing.begin(), changing.end(), number) != changing.end();
}

/// openat with O_TMPFILE fails as on a file system that does not know it.
void forbid_nameless_files() {
  // The low half of the third argument, on machines of either byte order that this runs on (little-endian).
  const std::array<sock_filter, 6> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{program.size(), const_cast<sock_filter*>(program.data())};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    give_up("no filter");
  }
}

[[noreturn]] void become(const Wish& wish) {
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) give_up("no tracing");
  raise(SIGSTOP);
  if (wish.without_nameless_files) forbid_nameless_files();
  execvp(wish.command[0], wish.command);
  give_up(wish.command[0]);
}

class Tracer {
 public:
  Tracer(pid_t child, const Wish& wish) : child_(child), wish_(wish) {}

  int run() {
    int status = 0;
    if (waitpid(child_, &status, __WALL) != child_ || !WIFSTOPPED(status)) return cannot_trace;
    constexpr long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                             PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, child_, nullptr, options) != 0) give_up("no tracing");
    go_on(child_, 0);
    while (true) {
      const pid_t thread = waitpid(-1, &status, __WALL);
      if (thread < 0) return cannot_trace;
      const bool ended = WIFEXITED(status) || WIFSIGNALED(status);
      if (ended && thread == child_) return ending(status);
      if (!ended) go_on(thread, signal_after(thread, status));
    }
  }

  long calls() const { return calls_; }

 private:
  static void go_on(pid_t thread, int signal) {
    ptrace(PTRACE_SYSCALL, thread, nullptr, reinterpret_cast<void*>(static_cast<std::intptr_t>(signal)));
  }

  /// The signal that a stopped thread is to get.
  int signal_after(pid_t thread, int status) {
    const int signal = WSTOPSIG(status);
    if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXEC << 8))) executing_ = true;
    if (signal == (SIGTRAP | 0x80)) {
      look_at_call(thread);
      return 0;
    }
    const bool event = status >> 16 != 0;
    return event || signal == SIGSTOP || signal == SIGTRAP ? 0 : signal;
  }

  void look_at_call(pid_t thread) {
    __ptrace_syscall_info info{};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return;
    if (failing_ == thread && info.op == PTRACE_SYSCALL_INFO_EXIT) return end_failed_call(thread);
    if (!executing_ || !counts(info, wish_)) return;
    ++calls_;
    const auto now = std::chrono::steady_clock::now();
    if (calls_ == wish_.at) begun_ = now;
    const bool lasts = wish_.for_good || now - begun_ < wish_.lasting;
    const bool is_it = calls_ == wish_.at || (lasts && wish_.at != 0 && calls_ > wish_.at);
    if (!is_it) return;
    if (wish_.error == 0) {
      kill(child_, wish_.signal);
    } else {
      begin_failed_call(thread);
    }
  }

  /// As a call that there is not, which does nothing, or with a server as the end of the connection; its result comes when it ends.
  void begin_failed_call(pid_t thread) {
#ifdef __x86_64__
    user_regs_struct registers{};
    if (ptrace(PTRACE_GETREGS, thread, nullptr, &registers) != 0) return;
    asked_ = registers;
    registers.orig_rax = wish_.server ? static_cast<unsigned long long>(SYS_shutdown) : ~0ULL;
    if (wish_.server) registers.rsi = SHUT_RDWR;  // of the connection in rdi
    if (ptrace(PTRACE_SETREGS, thread, nullptr, &registers) == 0) failing_ = thread;
#else
    static_cast<void>(thread);
#endif
  }

  void end_failed_call(pid_t thread) {
#ifdef __x86_64__
    user_regs_struct registers = asked_;
    registers.rax = static_cast<unsigned long long>(-static_cast<long long>(wish_.error));
    ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
#endif
    failing_ = 0;
  }

  static int ending(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return WTERMSIG(status) == SIGKILL ? was_killed : 128 + WTERMSIG(status);
  }

  pid_t child_;
  const Wish& wish_;
  std::chrono::steady_clock::time_point begun_ = {};
  bool executing_ = false;
  pid_t failing_ = 0;
#ifdef __x86_64__
  user_regs_struct asked_{};
#endif
  long calls_ = 0;
};

Wish wish_of(char** words) {
  Wish wish;
  for (; *words != nullptr && std::strncmp(*words, "--", 2) == 0; ++words) {
    const std::string word = *words;
    if (word == "--all") wish.all = true;
    if (word == "--server") wish.server = true;
    if (word == "--without-nameless-files") wish.without_nameless_files = true;
    if (word == "--for-good") wish.for_good = true;
    if (word == "--for" && words[1] != nullptr) wish.lasting = std::chrono::milliseconds(std::atol(*++words));
    if (word == "--fail" && words[1] != nullptr) wish.error = std::atoi(*++words);
    if (word == "--signal" && words[1] != nullptr) wish.signal = std::atoi(*++words);
  }
  if (*words != nullptr) wish.at = std::atol(*words++);
  wish.command = words;
  return wish;
}

}  // namespace

int main(int, char** argv) {
  const Wish wish = wish_of(argv + 1);
  if (*wish.command == nullptr) {
    std::fputs(
        "stop_at_call [--all | --server] [--signal N | --fail ERRNO [--for-good | --for MS]] "
        "[--without-nameless-files] K COMMAND ...\n",
        stderr);
    return cannot_trace;
  }
  const pid_t child = fork();
  if (child == 0) become(wish);
  Tracer tracer(child, wish);
  const int code = tracer.run();
  std::fprintf(stderr, "calls %ld\n", tracer.calls());
  return code;
}
