//===- Aggregates.h - Aggregates as values --------------------------------------------===//
//
// An aggregate (hocket/language/_aggregate.py) is a Tuple together with a Python class, whose fields are the elements.
// An aggregate that is a Python object is decomposed into its fields when it becomes a Value.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_AGGREGATES_H
#define HOCKET_FRONTEND_AGGREGATES_H

#include "frontend/values/Value.h"

namespace hocket::frontend {

/// True if `type` is a class decorated with hocket.aggregate.
bool isAggregateClass(py::handle type);
/// True if `value` is an aggregate.
bool isAggregate(const Value &value);
/// Returns the function `name` of hocket/language/_aggregate.py.
py::object aggregateFunction(const char *name);

} // namespace hocket::frontend

#endif
