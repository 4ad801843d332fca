//===- Handles.h - Values of a kernel in Python that runs at compile time -------------===//
//
// Python is given objects of the classes that stand for values: aggregates and tuples as they are, and handles for what
// only the kernel knows, which answer for their dtype, shape and layout. What it returns may hold them.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_HANDLES_H
#define HOCKET_FRONTEND_SEMANTICS_HANDLES_H

#include "frontend/values/Value.h"

namespace hocket::frontend {

/// Values given to Python, and their way back.
class Handles {
public:
  /// The object that stands for `value`: a handle where it is known at run time; structures are rebuilt.
  py::object toPython(const Value &value);
  /// The value of an object that may hold handles of this.
  Value fromPython(py::handle object) const;

private:
  std::vector<Value> known;
};

} // namespace hocket::frontend

#endif
