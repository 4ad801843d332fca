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

  /// Waits until the compiling thread has called `finish`. Raises the error of the compilation, if any. Ctrl-C ends the
  /// wait.
  void wait();

  /// Wakes the waiting threads. `error` is an exception or null.
  void finish(pybind11::object error);

private:
  const LaunchKey &key;
  /// Fork generation in which the compilation began. In a forked child, which lacks the compiling thread, the
  /// generation differs.
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

  /// Passes `raised` to the waiting threads. Exceptions such as Ctrl-C, which are not errors of the kernel, are not
  /// passed. One of the waiting threads then compiles the kernel.
  void fail(const pybind11::error_already_set &raised);

private:
  Compilations &compilations;
  std::shared_ptr<Compilation> compilation;
  pybind11::object error;
};

} // namespace hocket::dispatch

#endif
