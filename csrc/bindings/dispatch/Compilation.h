//===- Compilation.h - Waiting for a compilation in another thread ---------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_COMPILATION_H
#define HOCKET_BINDINGS_DISPATCH_COMPILATION_H

#include "bindings/dispatch/Key.h"
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace hocket::dispatch {

/// A specialization that one thread compiles. All members are called with the GIL.
class Compilation {
public:
  /// `key` must outlive the call that compiles.
  explicit Compilation(const LaunchKey &key);

  bool isOf(const LaunchKey &other) const;

  /// Waits until the other thread is done. Raises the error of the compilation, if any. Ctrl-C ends the wait.
  void wait();

  /// Wakes the waiting threads. `error` is an exception or null.
  void finish(pybind11::object error);

private:
  const LaunchKey &key;
  /// The fork generation, to detect that this is a child process, in which the compiling thread does not exist.
  unsigned generation;
  std::mutex mutex;
  std::condition_variable finished;
  bool isDone = false;
  pybind11::object error;
};

using Compilations = std::vector<std::shared_ptr<Compilation>>;

/// Returns the compilation of `key` in another thread; null if there is none. Also null if the calling thread is itself
/// compiling, because two threads that compile kernels which launch each other would otherwise wait for each other.
std::shared_ptr<Compilation> findCompilation(Compilations compilations, const LaunchKey &key);

/// Scope of a compilation. Other threads that need the same kernel wait until the scope ends, even if it ends by an
/// exception.
class CompilesForAll {
public:
  CompilesForAll(Compilations &compilations, const LaunchKey &key);
  ~CompilesForAll();
  CompilesForAll(const CompilesForAll &) = delete;

  /// Passes `raised` to the waiting threads. An exception that is not an error of the kernel, such as Ctrl-C, is not
  /// passed on: another thread then compiles.
  void fail(const pybind11::error_already_set &raised);

private:
  Compilations &compilations;
  std::shared_ptr<Compilation> compilation;
  pybind11::object error;
};

} // namespace hocket::dispatch

#endif
