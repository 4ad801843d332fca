//===- Attributes.h - `x.shape`, `smem.load`, `state.count` ---------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_ATTRIBUTES_H
#define HOCKET_FRONTEND_SEMANTICS_ATTRIBUTES_H

#include "frontend/emit/Emitter.h"

namespace hocket::frontend {

/// The Python class that stands for a value that is not known at compile time: gl.tensor, a namedtuple's class.
py::object classOf(const Value &value);

/// The attribute of a value, or a BoundMethod; an unset Value where there is none of this name.
Value findAttribute(Emitter &e, const Value &base, const std::string &name);
/// What `base`, an aggregate, has by the name in `pythonClass`, its class or a base of that.
Value attributeOfAggregate(Emitter &e, const Value &base, const std::string &name, py::handle pythonClass);
/// As findAttribute, but stops where there is none, with the names that come close.
Value attribute(Emitter &e, const Value &base, const std::string &name);

} // namespace hocket::frontend

#endif
