//===- Table.h - Compiled kernels of one jit function ----------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_TABLE_H
#define HOCKET_BINDINGS_DISPATCH_TABLE_H

#include "bindings/dispatch/Specialization.h"
#include "dispatch/Table.h"
#include "runtime/Device.h"
#include <memory>

namespace hocket::dispatch {

/// A global variable, closure variable or class attribute whose value the compilation of a kernel has read.
struct UsedGlobal {
  pybind11::object owner; ///< the dict, closure cell or class that holds the variable
  pybind11::object name;
  pybind11::object value;

  bool isUnchanged() const {
    if (PyType_Check(owner.ptr())) [[unlikely]] {
      auto now = pybind11::reinterpret_steal<pybind11::object>(PyObject_GetAttr(owner.ptr(), name.ptr()));
      if (!now)
        PyErr_Clear();
      return now.is(value);
    }
    PyObject *now =
        PyDict_CheckExact(owner.ptr()) ? PyDict_GetItemWithError(owner.ptr(), name.ptr()) : PyCell_GET(owner.ptr());
    return now == value.ptr();
  }
};

/// A compiled specialization of a kernel.
struct Compiled {
  LaunchKey key;           ///< owns references to the objects in its codes
  pybind11::object object; ///< the Python CompiledKernel
  pybind11::object kernelObject;
  DeviceKernel *kernel = nullptr;     ///< owned by `kernelObject`; null if the kernel is not loaded on a device
  const KernelFacts *facts = nullptr; ///< facts about the kernel, owned by `object`
  std::vector<UsedGlobal> globals;

  Compiled() = default;
  Compiled(const Compiled &) = delete;
  ~Compiled() {
    for (const Code &code : key.codes)
      Py_XDECREF(code.object);
  }

  bool isCurrent() const {
    for (const UsedGlobal &global : globals)
      if (!global.isUnchanged()) [[unlikely]]
        return false;
    return true;
  }
};

using LaunchTable = Table<LaunchKey, Compiled>;

} // namespace hocket::dispatch

#endif
