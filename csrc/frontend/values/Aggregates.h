//===- Aggregates.h - Aggregates as values --------------------------------------------===//
//
// The value of an aggregate (hocket/language/_aggregate.py) is a Tuple: its elements are the fields, and its
// pythonClass is the class of the aggregate. A Python object of an aggregate class is decomposed into its fields when
// it is converted to a Value.
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
