//===- Attributes.h - Attribute lookup: `x.shape`, `smem.load`, `state.count` ---------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_ATTRIBUTES_H
#define HOCKET_FRONTEND_SEMANTICS_ATTRIBUTES_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Returns the Python class that represents a run-time value, such as gl.tensor or the class of a namedtuple.
py::object classOf(const Value &value);

/// Returns the attribute `name` of `base`; for a method, a BoundMethod. Returns an unset Value if `base` has no such
/// attribute.
Value findAttribute(Emitter &e, const Value &base, const std::string &name);
/// Returns the attribute `name` of the aggregate `base`, as defined in `pythonClass`: the aggregate's class or one of
/// its base classes.
Value attributeOfAggregate(Emitter &e, const Value &base, const std::string &name, py::handle pythonClass);
/// Returns the attribute `name` of `base`; for a method, a BoundMethod. If `base` has no such attribute, raises an
/// error that suggests a similar name.
Value attribute(Emitter &e, const Value &base, const std::string &name);

} // namespace hocket::frontend

#endif
