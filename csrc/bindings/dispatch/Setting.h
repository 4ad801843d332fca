//===- Setting.h - Launch settings chosen by `with` blocks -----------------------------===//
//
// A context variable alone would not affect the threads of a pool, because new threads have an empty context (always
// before Python 3.14, and by default in 3.14). A thread that has chosen no value therefore uses the value of the other
// threads, if all of them have chosen the same value. Tasks of one thread are distinguished by their contexts, as
// usual. Launches read settings without a call of Python code.
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

/// A setting that is used like a context variable. All member functions require the GIL.
class LaunchSetting {
public:
  /// A value that a thread or task has chosen. The value is in effect until the Choice is passed to `reset`.
  struct Choice {
    pybind11::object value;
    unsigned long thread;
    pybind11::object token; ///< token that resets the context variable
  };

  LaunchSetting(const char *name, pybind11::object defaultValue);

  std::shared_ptr<Choice> set(pybind11::object value);
  void reset(const std::shared_ptr<Choice> &choice);

  /// Returns the choice of this thread or task. If this thread or task has made no choice, returns the choice of the
  /// other threads; nullopt if their choices differ.
  std::optional<pybind11::object> find() const;
  /// Returns the result of `find`, or the default value if the choices of the other threads differ.
  pybind11::object getIfAgreed() const { return find().value_or(defaultValue); }
  /// Returns the result of `find`. Raises hocket.runtime.launch_settings.Disagreement if the choices of the other
  /// threads differ.
  pybind11::object get() const;

private:
  /// Returns the newest choice of each thread except this one.
  std::vector<pybind11::object> choicesOfOthers() const;

  pybind11::object defaultValue, variable;
  std::map<unsigned long, std::vector<std::shared_ptr<Choice>>> byThread;
};

} // namespace hocket::dispatch

#endif
