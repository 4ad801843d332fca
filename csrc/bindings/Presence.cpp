//===- Presence.cpp - Threads in the core at process exit and forks ----------------===//
#include "bindings/Presence.h"
#include "bindings/Bindings.h"
#include "bindings/Interruptible.h"
#include "codegen/Codegen.h"
#include "runtime/LaunchError.h"
#include <atomic>
#include <chrono>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace py = pybind11;

namespace hocket::bindings {

namespace {

/// `present`: number of threads that execute a call into the core. `compiling`: number of threads that compile. Threads
/// hold the GIL when they change these numbers. The exceptions are threads that block forever at exit, and workers that
/// end an abandoned compilation.
std::atomic<int> present = 0;
std::atomic<int> compiling = 0;
/// `exiting`: the thread that ends the process. `forking`: the thread that forks the process. Both are 0 at other
/// times.
std::atomic<pthread_t> exiting = 0;
std::atomic<pthread_t> forking = 0;
std::atomic<unsigned> generation = 0;
/// True in a forked child if another thread of the parent was compiling at the fork.
bool inheritedHalf = false;

thread_local int presenceDepth = 0;
thread_local int compilingDepth = 0;

// Maximum times that an exit and a fork wait for compilations. Most kernels compile in well under a second. A longer
// wait would look like a hang.
constexpr double kExitPatienceSeconds = 5;
double forkPatienceSeconds = 20;

constexpr auto kPollInterval = std::chrono::milliseconds(1);

} // namespace

static bool isOther(const std::atomic<pthread_t> &thread) {
  pthread_t is = thread.load(std::memory_order_relaxed);
  return is && is != pthread_self();
}

[[noreturn]] static void stopForEver() {
  for (;;)
    pause();
}

/// Waits without the GIL until `condition` is false, but at most `seconds` seconds.
template <typename Condition>
static void waitWhile(Condition &&condition, double seconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (condition() && std::chrono::steady_clock::now() < end) {
    PyThreadState *state = PyEval_SaveThread();
    std::this_thread::sleep_for(kPollInterval);
    if (isOther(exiting))
      stopForEver();
    PyEval_RestoreThread(state);
  }
}

Presence::Presence() {
  if (presenceDepth++ > 0)
    return;
  if (isOther(exiting)) [[unlikely]] {
    PyEval_SaveThread();
    stopForEver();
  }
  present.fetch_add(1, std::memory_order_relaxed);
}

Presence::~Presence() {
  if (--presenceDepth == 0)
    present.fetch_sub(1, std::memory_order_relaxed);
}

Compiling::Compiling() {
  if (inheritedHalf)
    throw LaunchError("this process was forked while another thread compiled a kernel, so it cannot compile\n"
                      "  hint: fork before other threads launch kernels, or start processes with "
                      "multiprocessing.get_context(\"spawn\")");
  if (compilingDepth++ > 0)
    return;
  waitWhile([] { return isOther(forking); }, forkPatienceSeconds);
  ++compiling;
}

Compiling::~Compiling() {
  if (--compilingDepth == 0)
    --compiling;
}

WithoutGil::~WithoutGil() {
  if (isOther(exiting)) [[unlikely]] {
    --present;
    stopForEver();
  }
  PyEval_RestoreThread(state);
}

void leaveBehind() {
  ++present;
  ++compiling;
}

void noLongerLeftBehind() {
  --compiling;
  --present;
}

bool isExiting() { return isOther(exiting); }
bool isCompiling() { return compilingDepth > 0; }
unsigned forkGeneration() { return generation.load(std::memory_order_relaxed); }

static void beforeExit() {
  exiting = pthread_self();
  int own = presenceDepth > 0;
  waitWhile([own] { return present > own; }, kExitPatienceSeconds);
  endIdleWorkers();
}

static void beforeFork() {
  forking = pthread_self();
  {
    WithoutGil released;
    finishPrefetch();
  }
  int own = compilingDepth > 0;
  waitWhile([own] { return compiling > own; }, forkPatienceSeconds);
  endIdleWorkers();
}

static void afterForkInParent() { forking = 0; }

/// Runs in the child after every fork, including forks by code outside of Python.
static void afterForkInChild() {
  inheritedHalf |= compiling > (compilingDepth > 0);
  present = presenceDepth > 0;
  compiling = compilingDepth > 0;
  exiting = forking = 0;
  ++generation;
}

void bindPresence(py::module_ &module) {
  pthread_atfork(nullptr, nullptr, &afterForkInChild);
  py::module_::import("atexit").attr("register")(py::cpp_function(&beforeExit));
  py::module_::import("os").attr("register_at_fork")(py::arg("before") = py::cpp_function(&beforeFork),
                                                     py::arg("after_in_parent") = py::cpp_function(&afterForkInParent));
  module.def_submodule("testing", "Hooks of Hocket's own tests.")
      .def(
          "set_fork_patience", [](double seconds) { forkPatienceSeconds = seconds; }, py::arg("seconds"),
          "Sets how long a fork waits for other threads that compile.");
}

} // namespace hocket::bindings
