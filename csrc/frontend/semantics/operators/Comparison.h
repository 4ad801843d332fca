//===- Comparison.h - Comparisons of run-time values ------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_COMPARISON_H
#define HOCKET_FRONTEND_SEMANTICS_COMPARISON_H

#include "frontend/semantics/Emitter.h"
#include "frontend/values/Operator.h"

namespace hocket::frontend {

/// Evaluates the comparisons <, <=, >, >=, == and !=; the caller evaluates `is` and `in`.
Value compare(Emitter &e, CompareOperator op, const Value &left, const Value &right);

} // namespace hocket::frontend

#endif
