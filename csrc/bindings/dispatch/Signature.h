//===- Signature.h - Parameters of a kernel, and binding of arguments ------------------===//
//
//   k[grid](x, y, n, BLOCK=1024, num_warps=8)
//           `-- slots, one per parameter   `-- options, which every kernel accepts.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_SIGNATURE_H
#define HOCKET_BINDINGS_DISPATCH_SIGNATURE_H

#include "bindings/dispatch/Array.h"
#include "dispatch/InlineVector.h"
#include "dispatch/Scalars.h"
#include <optional>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

namespace hocket::dispatch {

struct Parameter {
  pybind11::object name; ///< interned string, so that the addresses of equal names are equal
  std::string text;
  ParameterMode mode;
  pybind11::object defaultValue;       ///< null if the parameter has no default value
  std::optional<Element> declaredType; ///< type of a parameter with a dtype annotation, such as `n: gl.int64`
  /// Index of the launch option that has the parameter's name, or -1. If a kernel has a parameter such as `num_warps:
  /// gl.constexpr`, the keyword argument sets both the parameter and the launch option.
  int option = -1;
};

struct Option {
  pybind11::object name;
  pybind11::object defaultValue;
};

struct Signature {
  std::string function;
  std::vector<Parameter> parameters;
  std::vector<Option> options;
  size_t positionalCount = 0;
  /// Index of the parameter `*args`, whose value is a tuple of the remaining positional arguments; -1 if the kernel has
  /// no such parameter.
  int varArgs = -1;

  /// Sets `parameters` and `options` from two lists of python/hocket/runtime/jit.py. `parameterList` has entries (name,
  /// mode, has default, default, declared type or None). `optionList` has entries (option, default).
  void read(pybind11::handle parameterList, pybind11::handle optionList);
};

/// The arguments of one call. `rest` owns its tuple; all other references are borrowed from the caller.
struct BoundArguments {
  struct GivenOption {
    uint32_t index;
    PyObject *value;
  };

  InlineVector<PyObject *, 32> slots;
  InlineVector<GivenOption, 4> options;
  PyObject *stream = nullptr;
  PyObject *grid = nullptr; ///< the keyword argument `grid`, which only `warmup` accepts
  pybind11::object rest;
};

/// Fills `out` from the arguments of a vectorcall. Throws LaunchError for missing, superfluous or unknown arguments.
void bindArguments(const Signature &signature, PyObject *const *arguments, size_t positional, PyObject *keywordNames,
                   BoundArguments &out);

} // namespace hocket::dispatch

#endif
