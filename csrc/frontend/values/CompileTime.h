//===- CompileTime.h - Operators on Python objects -----------------------------------===//
#ifndef HOCKET_FRONTEND_COMPILETIME_H
#define HOCKET_FRONTEND_COMPILETIME_H

#include "frontend/values/Operator.h"
#include <pybind11/pybind11.h>

namespace hocket::frontend {

/// Apply Python's own operators to Python objects. The functions throw error_already_set if Python raises an exception.
pybind11::object applyBinary(BinaryOperator op, pybind11::handle left, pybind11::handle right);
pybind11::object applyUnary(UnaryOperator op, pybind11::handle operand);
pybind11::object applyCompare(CompareOperator op, pybind11::handle left, pybind11::handle right);
/// True if `left op right` is an integer that is too large to be computed: more than 65536 bits.
bool isTooLargeToCompute(BinaryOperator op, pybind11::handle left, pybind11::handle right);
bool isTrue(pybind11::handle object);

} // namespace hocket::frontend

#endif
