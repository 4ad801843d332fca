//===- CompileTime.cpp - Operators on Python objects ---------------------------------===//
#include "frontend/values/CompileTime.h"

using namespace hocket::frontend;
namespace py = pybind11;

static py::object checked(PyObject *result) {
  if (!result)
    throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

py::object hocket::frontend::applyBinary(BinaryOperator op, py::handle left, py::handle right) {
  PyObject *l = left.ptr(), *r = right.ptr();
  switch (op) {
  case BinaryOperator::Add:
    return checked(PyNumber_Add(l, r));
  case BinaryOperator::Sub:
    return checked(PyNumber_Subtract(l, r));
  case BinaryOperator::Mul:
    return checked(PyNumber_Multiply(l, r));
  case BinaryOperator::Div:
    return checked(PyNumber_TrueDivide(l, r));
  case BinaryOperator::FloorDiv:
    return checked(PyNumber_FloorDivide(l, r));
  case BinaryOperator::Mod:
    return checked(PyNumber_Remainder(l, r));
  case BinaryOperator::Pow:
    return checked(PyNumber_Power(l, r, Py_None));
  case BinaryOperator::Shl:
    return checked(PyNumber_Lshift(l, r));
  case BinaryOperator::Shr:
    return checked(PyNumber_Rshift(l, r));
  case BinaryOperator::And:
    return checked(PyNumber_And(l, r));
  case BinaryOperator::Or:
    return checked(PyNumber_Or(l, r));
  case BinaryOperator::Xor:
    return checked(PyNumber_Xor(l, r));
  case BinaryOperator::MatMul:
    return checked(PyNumber_MatrixMultiply(l, r));
  }
  llvm_unreachable("all operators handled");
}

bool hocket::frontend::isTooLargeToCompute(BinaryOperator op, py::handle left, py::handle right) {
  constexpr double kMostBits = 65536;
  if ((op != BinaryOperator::Pow && op != BinaryOperator::Shl) || !PyLong_Check(left.ptr()) ||
      !PyLong_Check(right.ptr()))
    return false;
  double bits = left.attr("bit_length")().cast<double>();
  double count = PyLong_AsDouble(right.ptr()); // right operand: exponent of `**`, or shift amount of `<<`
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return bits > 1 || (bits == 1 && op == BinaryOperator::Shl);
  }
  if (op == BinaryOperator::Shl)
    return bits > 0 && bits + count > kMostBits;
  return bits > 1 && bits * count > kMostBits;
}

py::object hocket::frontend::applyUnary(UnaryOperator op, py::handle operand) {
  switch (op) {
  case UnaryOperator::Negate:
    return checked(PyNumber_Negative(operand.ptr()));
  case UnaryOperator::Plus:
    return checked(PyNumber_Positive(operand.ptr()));
  case UnaryOperator::Invert:
    return checked(PyNumber_Invert(operand.ptr()));
  case UnaryOperator::Not:
    return py::bool_(!isTrue(operand));
  }
  llvm_unreachable("all operators handled");
}

py::object hocket::frontend::applyCompare(CompareOperator op, py::handle left, py::handle right) {
  static constexpr int rich[] = {Py_EQ, Py_NE, Py_LT, Py_LE, Py_GT, Py_GE};
  switch (op) {
  case CompareOperator::Is:
    return py::bool_(left.is(right));
  case CompareOperator::IsNot:
    return py::bool_(!left.is(right));
  case CompareOperator::In:
  case CompareOperator::NotIn: {
    int found = PySequence_Contains(right.ptr(), left.ptr());
    if (found < 0)
      throw py::error_already_set();
    return py::bool_((op == CompareOperator::In) == (found == 1));
  }
  default:
    return checked(PyObject_RichCompare(left.ptr(), right.ptr(), rich[static_cast<int>(op)]));
  }
}

bool hocket::frontend::isTrue(py::handle object) {
  int truth = PyObject_IsTrue(object.ptr());
  if (truth < 0)
    throw py::error_already_set();
  return truth == 1;
}
