//===- LaunchCompilation.h - Threads that wait for what another one compiles -------===//
#ifndef HOCKET_BINDINGS_LAUNCHCOMPILATION_H
#define HOCKET_BINDINGS_LAUNCHCOMPILATION_H

#include "bindings/launch/LaunchKey.h"
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace hocket::launch {

/// A specialisation that one thread compiles. All members are called with the GIL.
class Compilation {
public:
  /// `key` must outlive the call that compiles.
  explicit Compilation(const LaunchKey &key);

  bool isOf(const LaunchKey &other) const;

  /// Waits until the other thread is done, and raises its error. Ctrl-C ends the wait.
  void wait();

  /// Wakes those that wait. `error` is an exception or null.
  void finish(pybind11::object error);

private:
  const LaunchKey &key;
  /// In a child process, the thread that would finish does not exist.
  unsigned generation;
  std::mutex mutex;
  std::condition_variable finished;
  bool isDone = false;
  pybind11::object error;
};

using Compilations = std::vector<std::shared_ptr<Compilation>>;

/// The one of `key` that another thread is busy with; null if there is none, or if this thread compiles itself: two
/// kernels that launch each other while they are compiled would wait for each other.
std::shared_ptr<Compilation> findCompilation(Compilations compilations, const LaunchKey &key);

/// While it stands, other threads that want the same wait; however that ends, they go on.
class CompilesForAll {
public:
  CompilesForAll(Compilations &compilations, const LaunchKey &key);
  ~CompilesForAll();
  CompilesForAll(const CompilesForAll &) = delete;

  /// Those who wait get this error, too. What is no error of the kernel, such as Ctrl-C, is this thread's alone:
  /// another one compiles then.
  void fail(const pybind11::error_already_set &raised);

private:
  Compilations &compilations;
  std::shared_ptr<Compilation> compilation;
  pybind11::object error;
};

} // namespace hocket::launch

#endif
