//===- AttributeBuiltins.cpp - Attributes of tensors and shared memory: shape, dtype, layout, ... ---------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/ForeignNames.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "frontend/values/LanguageObjects.h"
#include "frontend/values/layouts/Layouts.h"

namespace hocket::frontend {

static Runtime receiver(Emitter &e, const Arguments &args) { return e.toRuntime(args["self"], args.what("self")); }

/// Returns the value x for a property such as x.shape. Raises an error if x is a scalar pointer, because a kernel
/// receives only the address of a host array, not the array's properties.
static Runtime sizedReceiver(Emitter &e, const Arguments &args, const char *name) {
  Runtime value = receiver(e, args);
  if (value.type.isPointer() && value.type.isScalar())
    e.error(Value(value).describe() + " has no attribute `" + name + "`", hintForAttribute(value, name));
  return value;
}

static py::list listOf(llvm::ArrayRef<int64_t> sizes) {
  py::list list;
  for (int64_t size : sizes)
    list.append(size);
  return list;
}

static Value shape(Emitter &e, Arguments &args) {
  return Value::constant(py::tuple(listOf(sizedReceiver(e, args, "shape").type.shape)));
}

static Value dtype(Emitter &e, Arguments &args) {
  return Value::constant(elementTypeToPython(receiver(e, args).type.element));
}

static Value numElements(Emitter &e, Arguments &args) {
  return Value::constant(py::int_(sizedReceiver(e, args, "numel").type.numElements()));
}

static Value rank(Emitter &e, Arguments &args) {
  return Value::constant(py::int_(sizedReceiver(e, args, "rank").type.rank()));
}

static Value layout(Emitter &e, Arguments &args) {
  ValueType type = sizedReceiver(e, args, "layout").type;
  if (type.isScalar())
    e.error("a scalar has no layout", {{{"value", type.toString()}}, {}});
  return Value::constant(layoutToPython(type.layout));
}

/// Evaluates `x.type`: the dtype of a scalar, or the distributed_type of a tensor.
static Value typeOfTensor(Emitter &e, Arguments &args) {
  ValueType type = receiver(e, args).type;
  py::object element = elementTypeToPython(type.element);
  if (type.isScalar())
    return Value::constant(element);
  return Value::constant(languageObject("distributed_type")(element, listOf(type.shape), layoutToPython(type.layout)));
}

static Value typeOfHandle(Emitter &e, Arguments &args) {
  ValueType type = receiver(e, args).type;
  return Value::constant(languageObject("shared_memory_descriptor_type")(
      elementTypeToPython(type.element), listOf(type.shape), layoutToPython(type.layout), listOf(type.allocShape)));
}

static Value bytesOfHandle(Emitter &e, Arguments &args) {
  auto type = llvm::cast<hk::MemDescType>(receiver(e, args).ir.getType());
  return Value::constant(py::int_(type.getAllocBytes()));
}

static Value transposed(Emitter &e, Arguments &args) { return transpose(e, sizedReceiver(e, args, "T")); }

std::span<const BuiltinEntry> attributeBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"shared_memory_descriptor.dtype", dtype, "(self)"},
      {"shared_memory_descriptor.layout", layout, "(self)"},
      {"shared_memory_descriptor.nbytes_per_cta", bytesOfHandle, "(self)"},
      {"shared_memory_descriptor.numel", numElements, "(self)"},
      {"shared_memory_descriptor.rank", rank, "(self)"},
      {"shared_memory_descriptor.shape", shape, "(self)"},
      {"shared_memory_descriptor.type", typeOfHandle, "(self)"},
      {"tensor.T", transposed, "(self)"},
      {"tensor.dtype", dtype, "(self)"},
      {"tensor.layout", layout, "(self)"},
      {"tensor.numel", numElements, "(self)"},
      {"tensor.rank", rank, "(self)"},
      {"tensor.shape", shape, "(self)"},
      {"tensor.type", typeOfTensor, "(self)"},
  };
  return entries;
}

} // namespace hocket::frontend
