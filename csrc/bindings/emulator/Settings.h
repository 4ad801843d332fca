//===- Settings.h - Settings of hocket.emulator for a launch ---------------------------===//
#ifndef HOCKET_BINDINGS_EMULATOR_SETTINGS_H
#define HOCKET_BINDINGS_EMULATOR_SETTINGS_H

#include "bindings/dispatch/Setting.h"
#include "emulator/Emulator.h"

namespace hocket::bindings {

/// Variant of a kernel's host code. `compileEmulated` in bindings/Emulator.cpp documents the fields.
struct EmulatorVariant {
  bool timing = false;
  bool undefined = false;
  bool unwritten = false;
  bool optimized = true;

  bool operator==(const EmulatorVariant &) const = default;
};

/// The values of all settings for one launch. A Python object is None if the setting is not used.
struct EmulatorChoices {
  /// Options of the emulator. EmulatorSettings::read sets seed, threads, races, completion, countBanks and clockStart.
  LaunchOptions options;
  bool undefined = false;       ///< true if the emulator checks for uses of undefined values
  bool optimized = true;        ///< true if the host code of kernels is optimized
  pybind11::object watcher;     ///< callable that is called before each launch
  pybind11::object recorder;    ///< a hocket.runtime.emulated.Recorder
  pybind11::object printer;     ///< callable that receives the text that the kernel prints
  pybind11::object bankCounter; ///< callable that receives the bank counts of the launch

  /// Returns the variant of the kernel's host code for this launch. `usesUnwritten` is true if an array argument is in
  /// UnwrittenMemory.
  EmulatorVariant variant(bool usesUnwritten) const;
};

/// The settings of the emulator. hocket.runtime.emulated creates the settings, and the functions of hocket.emulator
/// change them.
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

/// Returns the enumerator of Completion with the Python name "late", "random" or "now".
Completion completionNamed(std::string_view name);

} // namespace hocket::bindings

#endif
