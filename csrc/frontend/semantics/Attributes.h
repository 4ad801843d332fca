//===- Attributes.h - Attribute lookup: `x.shape`, `smem.load`, `state.count` ---------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_ATTRIBUTES_H
#define HOCKET_FRONTEND_SEMANTICS_ATTRIBUTES_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Returns the Python class that represents a run-time value: gl.tensor, a namedtuple's class.
py::object classOf(const Value &value);

/// Returns the attribute of a value, or a BoundMethod; an unset Value if there is no attribute with this name.
Value findAttribute(Emitter &e, const Value &base, const std::string &name);
/// Returns the attribute of `base`, an aggregate, that `pythonClass`, its class or a base class, defines.
Value attributeOfAggregate(Emitter &e, const Value &base, const std::string &name, py::handle pythonClass);
/// Same as findAttribute, but raises an error with similar names if there is none.
Value attribute(Emitter &e, const Value &base, const std::string &name);

} // namespace hocket::frontend

#endif
