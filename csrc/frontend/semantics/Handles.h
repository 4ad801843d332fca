//===- Handles.h - Kernel values in Python code that runs at compile time -------------===//
//
// Python receives objects of the classes that represent values: aggregates and tuples as they are, and handles for
// run-time values, which have a dtype, a shape and a layout. Python's results may contain handles.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_HANDLES_H
#define HOCKET_FRONTEND_SEMANTICS_HANDLES_H

#include "frontend/values/Value.h"

namespace hocket::frontend {

/// Converts values to Python objects and back.
class Handles {
public:
  /// Returns the object for `value`: a handle for a run-time value; structures are rebuilt.
  py::object toPython(const Value &value);
  /// Returns the value of an object that may contain handles of this converter.
  Value fromPython(py::handle object) const;

private:
  std::vector<Value> known;
};

} // namespace hocket::frontend

#endif
