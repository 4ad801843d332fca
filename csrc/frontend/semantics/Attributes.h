//===- Attributes.h - Attribute lookup: `x.shape`, `smem.load`, `state.count` ---------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_ATTRIBUTES_H
#define HOCKET_FRONTEND_SEMANTICS_ATTRIBUTES_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Returns the Python class that represents a run-time value, such as gl.tensor or the class of a namedtuple.
py::object classOf(const Value &value);

/// Returns the attribute of a value, or a BoundMethod; an unset Value if there is no attribute with this name.
Value findAttribute(Emitter &e, const Value &base, const std::string &name);
/// Returns an attribute of `base`, an aggregate, that is defined in `pythonClass`, which is the aggregate's class or
/// one of its base classes.
Value attributeOfAggregate(Emitter &e, const Value &base, const std::string &name, py::handle pythonClass);
/// Returns the attribute of a value, or a BoundMethod. If there is no attribute with this name, raises an error with
/// similar names.
Value attribute(Emitter &e, const Value &base, const std::string &name);

} // namespace hocket::frontend

#endif
