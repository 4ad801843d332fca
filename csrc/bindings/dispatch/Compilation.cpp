//===- Compilation.cpp - Waiting for a compilation in another thread -------------------===//
#include "bindings/dispatch/Compilation.h"
#include "bindings/Interruptible.h"
#include "bindings/Presence.h"
#include <algorithm>

namespace py = pybind11;

namespace hocket::dispatch {

Compilation::Compilation(const LaunchKey &key) : key(key), generation(bindings::forkGeneration()) {}

bool Compilation::isOf(const LaunchKey &other) const {
  return !isDone && generation == bindings::forkGeneration() && key == other;
}

void Compilation::wait() {
  while (!isDone) {
    {
      bindings::WithoutGil released;
      std::unique_lock lock(mutex);
      finished.wait_for(lock, bindings::kSignalInterval, [this] { return isDone; });
    }
    if (PyErr_CheckSignals() != 0)
      throw py::error_already_set();
  }
  if (!error)
    return;
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

void Compilation::finish(py::object raised) {
  std::lock_guard lock(mutex);
  error = std::move(raised);
  isDone = true;
  finished.notify_all();
}

std::shared_ptr<Compilation> findCompilation(Compilations compilations, const LaunchKey &key) {
  if (bindings::isCompiling())
    return nullptr;
  auto found = std::ranges::find_if(compilations, [&](const auto &compilation) { return compilation->isOf(key); });
  return found == compilations.end() ? nullptr : *found;
}

CompilesForAll::CompilesForAll(Compilations &compilations, const LaunchKey &key)
    : compilations(compilations), compilation(std::make_shared<Compilation>(key)) {
  compilations.push_back(compilation);
}

CompilesForAll::~CompilesForAll() {
  std::erase(compilations, compilation);
  compilation->finish(std::move(error));
}

void CompilesForAll::fail(const py::error_already_set &raised) {
  if (raised.matches(PyExc_Exception))
    error = raised.value();
}

} // namespace hocket::dispatch
