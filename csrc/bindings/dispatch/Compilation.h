//===- Compilation.h - Waiting for a compilation in another thread ---------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_COMPILATION_H
#define HOCKET_BINDINGS_DISPATCH_COMPILATION_H

#include "bindings/dispatch/Key.h"
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace hocket::dispatch {

/// The compilation of one specialization by one thread. All member functions require the GIL.
class Compilation {
public:
  /// `key` must live until the compilation has ended.
  explicit Compilation(const LaunchKey &key);

  bool isOf(const LaunchKey &other) const;

  /// Waits until the compiling thread has called `finish`. Raises the error of the compilation, if any. Ctrl-C ends the
  /// wait.
  void wait();

  /// Wakes the threads that wait in `wait`. `error` is the exception of a failed compilation, or null.
  void finish(pybind11::object error);

private:
  const LaunchKey &key;
  /// Value of forkGeneration() (Presence.h) at the start of the compilation. In a forked child, forkGeneration()
  /// differs: the compiling thread does not exist in the child.
  unsigned generation;
  std::mutex mutex;
  std::condition_variable finished;
  bool isDone = false;
  pybind11::object error;
};

using Compilations = std::vector<std::shared_ptr<Compilation>>;

/// Returns the compilation of `key` in another thread; null if there is none. Also returns null if the calling thread
/// is compiling: two threads that compile kernels which launch each other would otherwise deadlock.
std::shared_ptr<Compilation> findCompilation(Compilations compilations, const LaunchKey &key);

/// Scope of a compilation. Threads that need the kernel wait until the scope ends, normally or by an exception.
class CompilesForAll {
public:
  CompilesForAll(Compilations &compilations, const LaunchKey &key);
  ~CompilesForAll();
  CompilesForAll(const CompilesForAll &) = delete;

  /// Passes the exception `raised` to the threads that wait for the compilation. KeyboardInterrupt and other exceptions
  /// that are not errors of the kernel are not passed; in this case, one of the waiting threads compiles the kernel.
  void fail(const pybind11::error_already_set &raised);

private:
  Compilations &compilations;
  std::shared_ptr<Compilation> compilation;
  pybind11::object error;
};

} // namespace hocket::dispatch

#endif
