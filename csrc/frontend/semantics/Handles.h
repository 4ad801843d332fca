//===- Handles.h - Kernel values in Python code that runs at compile time -------------===//
//
// Python code that runs at compile time can receive kernel values. Aggregates and tuples are passed as such; each
// run-time value is replaced by a handle, an object with its dtype, shape and layout. The results of the Python code
// can contain these handles.
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
  /// Returns the value of an object; handles in it must have been created by this converter.
  Value fromPython(py::handle object) const;

private:
  std::vector<Value> known;
};

} // namespace hocket::frontend

#endif
