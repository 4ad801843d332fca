//===- Types.cpp - Types of run-time values -----------------------------------------===//
#include "frontend/values/Types.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "frontend/values/layouts/Layouts.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace hocket;
using namespace hocket::frontend;

namespace {
struct DTypeFacts {
  std::string_view name, shortName;
  unsigned bits;
};
// Names and sizes of the scalar types, indexed by DType::Kind.
constexpr DTypeFacts kFacts[] = {
    {"void", "", 0},
#define ELEMENT(enumerator, name, shortName, bits, ...) {name, shortName, bits},
#include "support/ElementTypes.def"
};
} // namespace

unsigned DType::bitWidth() const { return kFacts[kind].bits; }
std::string_view DType::name() const { return kFacts[kind].name; }
std::string_view DType::shortName() const { return kFacts[kind].shortName; }

static std::optional<DType> findDType(std::string_view text, std::string_view DTypeFacts::*name) {
  for (size_t kind = 0; kind < std::size(kFacts); ++kind)
    if (kFacts[kind].*name == text)
      return DType(static_cast<DType::Kind>(kind));
  return std::nullopt;
}

std::optional<DType> DType::fromName(std::string_view name) { return findDType(name, &DTypeFacts::name); }

std::optional<DType> DType::fromShortName(std::string_view name) {
  return name.empty() ? std::nullopt : findDType(name, &DTypeFacts::shortName);
}

std::string DType::shortNames() {
  std::string names;
  for (const DTypeFacts &facts : llvm::drop_begin(kFacts))
    names += (names.empty() ? "" : " ") + std::string(facts.shortName);
  return names;
}

DType DType::integer(unsigned bits, bool isSigned) {
  switch (bits) {
  case 1:
    return Int1;
  case 8:
    return isSigned ? Int8 : UInt8;
  case 16:
    return isSigned ? Int16 : UInt16;
  case 32:
    return isSigned ? Int32 : UInt32;
  default:
    return isSigned ? Int64 : UInt64;
  }
}

mlir::Type DType::toMlir(mlir::MLIRContext *context) const {
  switch (kind) {
  case Void:
    return mlir::NoneType::get(context);
#define ELEMENT(...)
#define ELEMENT_FLOAT(enumerator, name, shortName, bits, numpyName, typeString, dlpackCode, mlirClass)                 \
  case enumerator:                                                                                                     \
    return mlir::mlirClass::get(context);
#include "support/ElementTypes.def"
  default:
    return mlir::IntegerType::get(context, bitWidth());
  }
}

std::string ElementType::toString() const {
  std::string name(dtype.name());
  return isPointer ? "pointer<" + name + ">" : name;
}

mlir::Type ElementType::toMlir(mlir::MLIRContext *context) const {
  if (!isPointer)
    return dtype.toMlir(context);
  return hk::PointerType::get((dtype.isBool() ? DType(DType::Int8) : dtype).toMlir(context));
}

ValueType ValueType::tensor(ElementType element, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout) {
  ValueType type(element);
  type.kind = Tensor;
  type.shape.assign(shape.begin(), shape.end());
  type.layout = layout;
  return type;
}

ValueType ValueType::memDesc(DType dtype, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout,
                             llvm::ArrayRef<int64_t> allocShape) {
  ValueType type = tensor(dtype, shape, layout);
  type.kind = MemDesc;
  if (allocShape.empty())
    allocShape = shape;
  type.allocShape.assign(allocShape.begin(), allocShape.end());
  return type;
}

ValueType ValueType::tensorDesc(DType dtype, llvm::ArrayRef<int64_t> blockShape, mlir::Attribute layout,
                                unsigned im2col) {
  ValueType type = tensor(dtype, blockShape, layout);
  type.kind = TensorDesc;
  type.im2col = im2col;
  return type;
}

int64_t ValueType::numElements() const {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

ValueType ValueType::withElement(ElementType newElement) const {
  ValueType type = *this;
  type.element = newElement;
  return type;
}

bool ValueType::operator==(const ValueType &other) const {
  return kind == other.kind && element == other.element && shape == other.shape && layout == other.layout &&
         allocShape == other.allocShape && im2col == other.im2col;
}

static std::string shapeToString(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (int64_t size : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

std::string ValueType::toString() const {
  std::string text = element.toString();
  if (isScalar())
    return text;
  text += shapeToString(shape);
  if (isMemDesc())
    text = "shared memory " + text;
  if (isTensorDesc())
    text = (im2col ? "an im2col descriptor of tiles of " : "a descriptor of tiles of ") + text;
  return layout ? text + " in " + describeLayout(layout) : text;
}

mlir::Type ValueType::toMlir(mlir::MLIRContext *context) const {
  switch (kind) {
  case Scalar:
    return element.toMlir(context);
  case Tensor:
    return mlir::RankedTensorType::get(shape, element.toMlir(context), layout);
  case MemDesc:
    return hk::MemDescType::get(shape, element.toMlir(context), layout, allocShape);
  case TensorDesc:
    return hk_nv::TensorDescType::get(shape, element.toMlir(context), llvm::cast<hk_nv::MmaSharedAttr>(layout), im2col);
  }
  llvm_unreachable("all kinds handled");
}
