//===- InitInChild.cpp - Whether cuInit crashes in a forked child -----------------===//
#include "third_party/cuda/InitInChild.h"
#include "third_party/SharedLibrary.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hocket::cuda {

/// Time limit for cuInit in the trial process, where a lock that another thread held at the fork is never unlocked.
static constexpr unsigned kTrialSeconds = 10;

/// Calls `init` in a forked process that leaves no core dump, and reports its return through `pipe`.
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

/// The process that loaded this module. A child that is forked from it inherits the value.
static const pid_t loader = getpid();

bool initCrashes() {
  // Threads that find out at the same time find the same.
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
