//===- InitInChild.cpp - Tests if cuInit crashes in a forked child ----------------===//
#include "third_party/cuda/InitInChild.h"
#include "third_party/SharedLibrary.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hocket::cuda {

/// Time limit in seconds for cuInit in the trial process. cuInit can block forever, because a lock that another thread
/// holds at the fork is never unlocked in the forked process.
static constexpr unsigned kTrialSeconds = 10;

/// Calls `init` in the trial process, a forked process that leaves no core dump. If `init` returns, writes a byte to
/// `pipe`.
[[noreturn]] static void callInTrial(int (*init)(unsigned), int pipe) {
  for (int each : {SIGSEGV, SIGBUS, SIGABRT, SIGALRM})
    signal(each, SIG_DFL);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  alarm(kTrialSeconds);
  init(0);
  [[maybe_unused]] ssize_t written = write(pipe, "r", 1);
  _exit(0);
}

static bool initReturns(int (*init)(unsigned)) {
  int ends[2];
  if (pipe(ends) != 0)
    return false;
  pid_t trial = fork();
  if (trial == 0)
    callInTrial(init, ends[1]);
  close(ends[1]);
  char byte;
  ssize_t count = -1;
  while (trial > 0 && (count = read(ends[0], &byte, 1)) < 0 && errno == EINTR)
    ;
  close(ends[0]);
  while (trial > 0 && waitpid(trial, nullptr, 0) < 0 && errno == EINTR)
    ;
  return count == 1;
}

/// ID of the process that loaded this module. A forked child inherits the value, and compares it with its own process
/// ID.
static const pid_t loader = getpid();

bool initCrashes() {
  // The test is not locked, because threads that test at the same time get the same result.
  static std::atomic<pid_t> judged = loader;
  static std::atomic<bool> crashes = false;
  pid_t process = getpid();
  if (judged != process) {
    SharedLibrary driver = SharedLibrary::openLoaded("libcuda.so");
    int (*init)(unsigned) = nullptr;
    crashes = driver.find(init, "cuInit") && !initReturns(init);
    judged = process;
  }
  return crashes;
}

} // namespace hocket::cuda
