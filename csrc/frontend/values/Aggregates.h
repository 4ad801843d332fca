//===- Aggregates.h - Structs of values as kernels see them ---------------------------===//
//
// An aggregate (hocket/language/_aggregate.py) is a Tuple whose class names its elements. Those that Python makes are
// taken apart where they become values.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_AGGREGATES_H
#define HOCKET_FRONTEND_AGGREGATES_H

#include "frontend/values/Value.h"

namespace hocket::frontend {

/// Whether `type` is a class decorated with hocket.aggregate.
bool isAggregateClass(py::handle type);
/// Whether `value` is an aggregate.
bool isAggregate(const Value &value);
/// The function `name` of hocket/language/_aggregate.py.
py::object aggregateFunction(const char *name);

} // namespace hocket::frontend

#endif
