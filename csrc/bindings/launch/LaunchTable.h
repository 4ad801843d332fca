//===- LaunchTable.h - The compiled kernels of one jit function --------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHTABLE_H
#define HOCKET_BINDINGS_LAUNCHTABLE_H

#include "bindings/launch/LaunchSpecialization.h"
#include "runtime/Device.h"
#include <memory>
#include <unordered_map>

namespace hocket::launch {

/// A global or closure variable that was read while compiling.
struct UsedGlobal {
  pybind11::object owner; ///< the dict, closure cell or class that holds it
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

/// One specialisation, ready to launch.
struct Compiled {
  LaunchKey key;           ///< owns references to its objects
  pybind11::object object; ///< the CompiledKernel that users see
  /// Exactly one of the two: a kernel on a GPU (owned by `object`), or a function that runs the emulator.
  DeviceKernel *kernel = nullptr;
  pybind11::object emulate;
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

/// Finds what was compiled before by the codes of a call. Programs launch a kernel mostly with the same
/// specialisation as before, so the last one found is tried first.
class LaunchTable {
public:
  /// Null when nothing fits, or when a global that was used has changed since.
  std::shared_ptr<Compiled> find(const LaunchKey &key) {
    if (last && last->key == key) [[likely]]
      return last->isCurrent() ? last : nullptr;
    auto [begin, end] = byHash.equal_range(key.hash);
    for (auto it = begin; it != end; ++it)
      if (it->second->key == key && it->second->isCurrent())
        return last = it->second;
    return nullptr;
  }

  /// Replaces what was stored under the same key.
  void insert(std::shared_ptr<Compiled> compiled) {
    auto [begin, end] = byHash.equal_range(compiled->key.hash);
    for (auto it = begin; it != end; ++it)
      if (it->second->key == compiled->key) {
        byHash.erase(it);
        break;
      }
    last = compiled;
    byHash.emplace(compiled->key.hash, std::move(compiled));
  }

  void clear() {
    last.reset();
    byHash.clear();
  }

  template <typename F>
  void forEach(F &&visit) const {
    for (const auto &[hash, compiled] : byHash)
      visit(*compiled);
  }

private:
  std::shared_ptr<Compiled> last;
  std::unordered_multimap<uint64_t, std::shared_ptr<Compiled>> byHash;
};

} // namespace hocket::launch

#endif
