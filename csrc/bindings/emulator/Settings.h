//===- Settings.h - Settings of hocket.emulator for a launch ---------------------------===//
#ifndef HOCKET_BINDINGS_EMULATOR_SETTINGS_H
#define HOCKET_BINDINGS_EMULATOR_SETTINGS_H

#include "bindings/dispatch/Setting.h"
#include "emulator/Emulator.h"

namespace hocket::bindings {

/// Instrumentation and optimization of a variant of a kernel's code.
struct EmulatorVariant {
  bool timing = false;
  bool undefined = false;
  bool unwritten = false;
  bool optimized = true;

  bool operator==(const EmulatorVariant &) const = default;
};

/// The values of the settings for one launch. Each of the Python objects may be None.
struct EmulatorChoices {
  LaunchOptions options;        ///< the fields seed, threads, races, completion and clockStart
  bool undefined = false;       ///< check for uses of undefined values
  bool optimized = true;        ///< optimize the code of kernels
  pybind11::object watcher;     ///< a callable that is called before the launch
  pybind11::object recorder;    ///< a hocket.runtime.emulated.Recorder
  pybind11::object printer;     ///< a callable that receives the kernel's output
  pybind11::object bankCounter; ///< a callable that receives the bank counts

  /// Returns the variant of a kernel for this launch. `usesUnwritten`: true if an argument is in UnwrittenMemory.
  EmulatorVariant variant(bool usesUnwritten) const;
};

/// The settings, which hocket.runtime.emulated creates and hocket.emulator changes.
class EmulatorSettings {
public:
  EmulatorSettings(pybind11::object schedule, pybind11::object watcher, pybind11::object recorder,
                   pybind11::object printer, pybind11::object bankCounter, pybind11::object clockStart);

  /// Reads all settings, and the environment's defaults (hocket.runtime.environment).
  EmulatorChoices read() const;

private:
  /// A LaunchSetting, and the Python object that owns the setting.
  struct Setting {
    explicit Setting(pybind11::object object)
        : owner(std::move(object)), setting(*owner.cast<dispatch::LaunchSetting *>()) {}
    pybind11::object read() const { return setting.getIfAgreed(); }

    pybind11::object owner;
    const dispatch::LaunchSetting &setting;
  };
  Setting schedule, watcher, recorder, printer, bankCounter, clockStart;
};

/// Returns the Completion with the name `name`: "late", "random" or "now".
Completion completionNamed(std::string_view name);

} // namespace hocket::bindings

#endif
