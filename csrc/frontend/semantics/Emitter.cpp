//===- Emitter.cpp - Constants, and requirements on compile-time values -----------===//
#include "frontend/semantics/Emitter.h"
#include "frontend/semantics/operators/Promotion.h"
#include "frontend/values/LanguageObjects.h"
#include "frontend/values/ValueParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <cmath>

using namespace hocket::frontend;
namespace arith = mlir::arith;

// Constants -----------------------------------------------------------------------------------------------------------

Runtime Emitter::toRuntime(const Value &value, std::string_view what) {
  if (const Runtime *runtime = value.asRuntime())
    return *runtime;
  const Constexpr *constant = value.asConstexpr();
  std::optional<DType> type = constant ? literalType(constant->object) : std::nullopt;
  if (!type) {
    if (constant && PyLong_Check(constant->object.ptr()))
      error(std::string(what) + " does not fit into 64 bits: " + py::str(constant->object).cast<std::string>());
    error(std::string(what) + " must be a number or a tensor, not " + value.describe());
  }
  return scalarConstant(constant->object, *type);
}

Runtime Emitter::intConstant(int64_t value, DType type) {
  mlir::Type irType = type.toMlir(context());
  // `value` is truncated to the width of `type`: -1 becomes all ones for uint32. The caller rejects values that are out
  // of the range of `type`, such as 255 for int8.
  llvm::APInt bits(64, static_cast<uint64_t>(value), true);
  auto attribute = mlir::IntegerAttr::get(irType, bits.trunc(type.bitWidth()));
  return make<arith::ConstantOp>(type, attribute);
}

Runtime Emitter::scalarConstant(py::handle number, DType type) {
  if (type.isFloat()) {
    auto irType = llvm::cast<mlir::FloatType>(type.toMlir(context()));
    double value = PyFloat_AsDouble(number.ptr());
    if (PyErr_Occurred()) {
      PyErr_Clear();
      error("expected a number, got " + py::repr(number).cast<std::string>());
    }
    llvm::APFloat bits(value);
    bool losesInfo = false;
    bits.convert(irType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    // float8 constants saturate, like run-time conversions to float8.
    if (type.isFloat8() && std::isfinite(value) && !bits.isFinite())
      bits = llvm::APFloat::getLargest(irType.getFloatSemantics(), value < 0);
    return make<arith::ConstantOp>(type, mlir::FloatAttr::get(irType, bits));
  }
  if (type.isBool()) {
    int truth = PyObject_IsTrue(number.ptr());
    if (truth < 0)
      throw py::error_already_set();
    return intConstant(truth, type);
  }
  if (!PyLong_Check(number.ptr()))
    error("expected an integer for " + std::string(type.name()) + ", got " + py::repr(number).cast<std::string>());
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  bool fits = overflow == 0;
  if (overflow > 0 && type == DType::UInt64) {
    value = static_cast<int64_t>(PyLong_AsUnsignedLongLong(number.ptr()));
    fits = !PyErr_Occurred();
    PyErr_Clear();
  } else if (fits && type.bitWidth() < 64) {
    fits = type.isSigned() ? llvm::isIntN(type.bitWidth(), value)
                           : value >= 0 && llvm::isUIntN(type.bitWidth(), static_cast<uint64_t>(value));
  } else if (fits) {
    fits = type.isSigned() || value >= 0;
  }
  if (!fits)
    error(py::str(number).cast<std::string>() + " does not fit into " + std::string(type.name()));
  return intConstant(value, type);
}

// Requirements on compile-time values ---------------------------------------------------------------------------------

/// Returns a hint on how to turn a run-time value into a compile-time value. The hint depends on the origin of the
/// value: an assignment, a loop variable or a kernel argument.
static std::string hintForConstexpr(Emitter &e, mlir::Value value) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  if (!argument)
    return e.hintForRuntime(value);
  mlir::Operation *owner = argument.getOwner()->getParentOp();
  if (auto loop = llvm::dyn_cast_or_null<mlir::scf::ForOp>(owner); loop && argument == loop.getInductionVar())
    return "iterate with gl.static_range to unroll the loop; its variable is then known";
  auto name = llvm::dyn_cast<mlir::NameLoc>(argument.getLoc());
  bool isNumber = argument.getType().isIntOrFloat();
  if (name && isNumber && llvm::isa_and_nonnull<mlir::func::FuncOp>(owner))
    return "declare the kernel's parameter as `" + name.getName().str() + ": gl.constexpr`";
  return {};
}

py::object Emitter::requireConstexpr(const Value &value, std::string_view what, SourceRange where) {
  if (value.isCompileTime())
    return value.toPython();
  llvm::SmallVector<mlir::Value> parts;
  flatten(value, parts);
  errorAt(where, std::string(what) + " must be known at compile time, but it is " + value.describe(),
          {{}, parts.empty() ? "" : hintForConstexpr(*this, parts.front())});
}

int64_t Emitter::requireInt(const Value &value, std::string_view what, SourceRange where) {
  py::object object = requireConstexpr(value, what, where);
  if (PyIndex_Check(object.ptr())) {
    int64_t result = PyLong_AsLongLong(py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr())).ptr());
    if (!PyErr_Occurred())
      return result;
    PyErr_Clear();
  }
  errorAt(where, std::string(what) + " must be an integer, not " + value.describe(),
          {{}, PyFloat_Check(object.ptr()) ? "`//` divides integers, `/` gives a float" : ""});
}

bool Emitter::requireBool(const Value &value, std::string_view what, SourceRange where) {
  py::object object = requireConstexpr(value, what, where);
  if (PyBool_Check(object.ptr()) || PyLong_Check(object.ptr()))
    return PyObject_IsTrue(object.ptr());
  errorAt(where, std::string(what) + " must be True or False, not " + value.describe());
}

std::string Emitter::requireString(const Value &value, std::string_view what, SourceRange where) {
  py::object object = requireConstexpr(value, what, where);
  if (PyUnicode_Check(object.ptr()))
    return object.cast<std::string>();
  errorAt(where, std::string(what) + " must be a string, not " + value.describe());
}

DType Emitter::requireDType(const Value &value, std::string_view what, SourceRange where) {
  std::optional<ElementType> type = elementTypeFromPython(requireConstexpr(value, what, where));
  if (type && !type->isPointer)
    return type->dtype;
  errorAt(where, std::string(what) + " must be a dtype such as gl.float32, not " + value.describe());
}

std::vector<int64_t> Emitter::requireInts(const Value &value, std::string_view what, SourceRange where) {
  std::vector<int64_t> result;
  if (std::optional<std::vector<Value>> elements = value.asSequence()) {
    for (size_t i = 0; i < elements->size(); ++i)
      result.push_back(requireInt((*elements)[i], "element " + std::to_string(i) + " of " + std::string(what), where));
    return result;
  }
  py::object object = requireConstexpr(value, what, where);
  errorAt(where, std::string(what) + " must be a list of integers, not " + value.describe(),
          {{}, PyLong_Check(object.ptr()) ? "write [" + py::str(object).cast<std::string>() + "]" : ""});
}
