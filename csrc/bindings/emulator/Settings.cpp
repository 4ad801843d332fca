//===- Settings.cpp - Settings of hocket.emulator for a launch -------------------------===//
#include "bindings/emulator/Settings.h"

#include <cstdlib>

namespace py = pybind11;

namespace hocket::bindings {

Completion completionNamed(std::string_view name) {
  if (name == "late")
    return Completion::Late;
  if (name == "random")
    return Completion::Random;
  if (name == "now")
    return Completion::Now;
  // This line is not reached, because the Python code has checked the name.
  throw std::invalid_argument("no such completion: " + std::string(name));
}

EmulatorVariant EmulatorChoices::variant(bool usesUnwritten) const {
  if (!recorder.is_none())
    return {.timing = true, .optimized = optimized};
  return {.undefined = undefined, .unwritten = undefined && usesUnwritten, .optimized = optimized};
}

EmulatorSettings::EmulatorSettings(py::object schedule, py::object watcher, py::object recorder, py::object printer,
                                   py::object bankCounter, py::object clockStart)
    : schedule(std::move(schedule)), watcher(std::move(watcher)), recorder(std::move(recorder)),
      printer(std::move(printer)), bankCounter(std::move(bankCounter)), clockStart(std::move(clockStart)) {}

/// Returns the environment variable `name`, or "" if it is not set.
static std::string_view environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Returns the value of `field`, a field of ScheduleSettings; `byDefault` if the field is None.
static bool isChosen(py::handle field, bool byDefault) { return field.is_none() ? byDefault : field.ptr() == Py_True; }

EmulatorChoices EmulatorSettings::read() const {
  auto fields = schedule.read().cast<py::tuple>(); // hocket.runtime.emulated.ScheduleSettings
  const std::string_view undefined = environment("HOCKET_EMULATOR_UNDEFINED");
  EmulatorChoices choices;
  choices.options.seed = fields[0].cast<uint64_t>();
  choices.options.threads = fields[1].cast<unsigned>();
  choices.options.races = isChosen(fields[2], environment("HOCKET_EMULATOR_RACES") != "0");
  choices.options.completion = completionNamed(fields[3].cast<std::string_view>());
  choices.undefined = isChosen(fields[4], undefined != "" && undefined != "0");
  choices.optimized = environment("HOCKET_EMULATOR_OPTIMIZE") != "0";
  choices.watcher = watcher.read();
  choices.recorder = recorder.read();
  choices.printer = printer.read();
  choices.bankCounter = bankCounter.read();
  choices.options.countBanks = !choices.bankCounter.is_none();
  choices.options.clockStart = clockStart.read().cast<uint64_t>();
  return choices;
}

} // namespace hocket::bindings
