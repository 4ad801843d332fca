//===- Handles.h - Kernel values in Python code that runs at compile time -------------===//
//
// Python code that runs at compile time can receive kernel values. Aggregates and tuples keep their Python classes.
// Each run-time value is replaced by a handle, a Python object that has the value's dtype, shape and layout. The
// results of the Python code can contain these handles.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_HANDLES_H
#define HOCKET_FRONTEND_SEMANTICS_HANDLES_H

#include "frontend/values/Value.h"

namespace hocket::frontend {

/// Converts kernel values to Python objects and back.
class Handles {
public:
  /// Converts `value` to a Python object. Run-time values become handles; tuples and aggregates become Python tuples
  /// and aggregates.
  py::object toPython(const Value &value);
  /// Converts a Python object to a kernel value. Handles in `object` must have been created by toPython of the same
  /// Handles object.
  Value fromPython(py::handle object) const;

private:
  std::vector<Value> known;
};

} // namespace hocket::frontend

#endif
