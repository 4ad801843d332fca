//===- Signature.h - Parameters of a kernel, and binding of arguments ------------------===//
//
//   k[grid](x, y, n, BLOCK=1024, num_warps=8)
//           `-- slots, one per parameter   `-- options, which every kernel accepts
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
  pybind11::object name; ///< interned, so that keywords compare by address
  std::string text;
  ParameterMode mode;
  pybind11::object defaultValue;       ///< null if there is none
  std::optional<Element> declaredType; ///< `n: gl.int64`: the type is fixed, and independent of the value
  /// Index of the option that has the parameter's name, or -1. A keyword argument with such a name sets both the
  /// parameter and the option, as for `num_warps: gl.constexpr`.
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
  /// Index of the parameter that takes the remaining positional arguments as a tuple, or -1.
  int varArgs = -1;

  /// Reads the data of python/hocket/runtime/jit.py: a list of (name, mode, has default, default, declared type or
  /// None), and a list of (option, default).
  void read(pybind11::handle parameterList, pybind11::handle optionList);
};

/// The arguments of one call. All references except `rest` are borrowed from the caller.
struct BoundArguments {
  struct GivenOption {
    uint32_t index;
    PyObject *value;
  };

  InlineVector<PyObject *, 32> slots;
  InlineVector<GivenOption, 4> options;
  PyObject *stream = nullptr;
  PyObject *grid = nullptr; ///< `grid=`, accepted only by `warmup`
  pybind11::object rest;
};

/// Fills `out` from a vectorcall. Throws LaunchError for missing, superfluous or unknown arguments.
void bindArguments(const Signature &signature, PyObject *const *arguments, size_t positional, PyObject *keywordNames,
                   BoundArguments &out);

} // namespace hocket::dispatch

#endif
