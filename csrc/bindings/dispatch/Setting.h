//===- Setting.h - Launch settings chosen by `with` blocks -----------------------------===//
//
// A context variable (Python's contextvars) alone would not affect the threads of a thread pool, because a new thread
// has an empty context by default. A thread that has chosen no value therefore uses the value of the other threads, if
// all other threads with a value have chosen the same value. Each asyncio task has its own context, and therefore its
// own value. Launches read settings without calling Python code.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_SETTING_H
#define HOCKET_BINDINGS_DISPATCH_SETTING_H

#include <map>
#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <vector>

namespace hocket::dispatch {

/// A setting with a separate value for each thread and each asyncio task. All member functions require the GIL.
class LaunchSetting {
public:
  /// A value that a thread or task has chosen by `set`. The value is in effect until the Choice is passed to `reset`.
  struct Choice {
    pybind11::object value;
    unsigned long thread;
    pybind11::object token; ///< token of `set`, with which `reset` resets the context variable
  };

  LaunchSetting(const char *name, pybind11::object defaultValue);

  std::shared_ptr<Choice> set(pybind11::object value);
  void reset(const std::shared_ptr<Choice> &choice);

  /// Returns the value that this thread or task has chosen. If this thread or task has chosen no value, returns the
  /// value of the other threads, or nullopt if the values of the other threads differ. If no thread has chosen a value,
  /// returns the default value.
  std::optional<pybind11::object> find() const;
  /// Returns the result of `find`, or the default value if `find` returns nullopt.
  pybind11::object getIfAgreed() const { return find().value_or(defaultValue); }
  /// Returns the result of `find`. Raises hocket.runtime.launch_settings.Disagreement if `find` returns nullopt.
  pybind11::object get() const;

private:
  /// Returns the value that each other thread has chosen last.
  std::vector<pybind11::object> choicesOfOthers() const;

  pybind11::object defaultValue, variable;
  std::map<unsigned long, std::vector<std::shared_ptr<Choice>>> byThread;
};

} // namespace hocket::dispatch

#endif
