//===- Setting.cpp - Launch settings chosen by `with` blocks ---------------------------===//
#include "bindings/dispatch/Setting.h"
#include "bindings/Bindings.h"

namespace py = pybind11;

namespace hocket::dispatch {

LaunchSetting::LaunchSetting(const char *name, py::object defaultValue)
    : defaultValue(std::move(defaultValue)),
      variable(py::reinterpret_steal<py::object>(PyContextVar_New(name, /*default=*/nullptr))) {
  if (!variable)
    throw py::error_already_set();
}

std::shared_ptr<LaunchSetting::Choice> LaunchSetting::set(py::object value) {
  auto token = py::reinterpret_steal<py::object>(PyContextVar_Set(variable.ptr(), value.ptr()));
  if (!token)
    throw py::error_already_set();
  auto choice = std::make_shared<Choice>(Choice{std::move(value), PyThread_get_thread_ident(), std::move(token)});
  byThread[choice->thread].push_back(choice);
  return choice;
}

void LaunchSetting::reset(const std::shared_ptr<Choice> &choice) {
  if (auto found = byThread.find(choice->thread); found != byThread.end()) {
    std::erase(found->second, choice);
    if (found->second.empty())
      byThread.erase(found);
  }
  if (PyContextVar_Reset(variable.ptr(), choice->token.ptr()) < 0)
    throw py::error_already_set();
}

std::vector<py::object> LaunchSetting::choicesOfOthers() const {
  std::vector<py::object> others;
  const unsigned long here = PyThread_get_thread_ident();
  for (const auto &[thread, choices] : byThread)
    if (thread != here)
      others.push_back(choices.back()->value);
  return others;
}

std::optional<py::object> LaunchSetting::find() const {
  PyObject *own = nullptr;
  if (PyContextVar_Get(variable.ptr(), /*default=*/nullptr, &own) < 0)
    throw py::error_already_set();
  if (own)
    return py::reinterpret_steal<py::object>(own);
  if (byThread.empty()) [[likely]]
    return defaultValue;
  std::vector<py::object> others = choicesOfOthers();
  if (others.empty())
    return defaultValue;
  for (const py::object &other : others)
    if (!other.equal(others.front()))
      return std::nullopt;
  return others.front();
}

py::object LaunchSetting::get() const {
  if (std::optional<py::object> found = find())
    return *std::move(found);
  py::list values;
  for (const py::object &other : choicesOfOthers())
    values.append(other);
  py::object type = py::module_::import("hocket.runtime.launch_settings").attr("Disagreement");
  PyErr_SetObject(type.ptr(), type(values).ptr());
  throw py::error_already_set();
}

} // namespace hocket::dispatch

void hocket::bindings::bindSettings(py::module_ &module) {
  using hocket::dispatch::LaunchSetting;
  py::class_<LaunchSetting::Choice, std::shared_ptr<LaunchSetting::Choice>>(module, "LaunchChoice");
  py::class_<LaunchSetting> setting(module, "LaunchSetting");
  setting.def(py::init<const char *, py::object>(), py::arg("name"), py::arg("default"))
      .def("set", &LaunchSetting::set, py::arg("value"))
      .def("reset", &LaunchSetting::reset, py::arg("choice"))
      .def("get", &LaunchSetting::get)
      .def("get_if_agreed", &LaunchSetting::getIfAgreed);
  // `__class_getitem__` allows annotations such as LaunchSetting[int].
  py::handle classmethod(reinterpret_cast<PyObject *>(&PyClassMethod_Type));
  setting.attr("__class_getitem__") = classmethod(py::module_::import("types").attr("GenericAlias"));
}
