//===- Types.h - Types of run-time values, as the language defines them ----------===//
//
// Signedness is part of these types and not of the IR: an operation selects arith.divsi or arith.divui by the ValueType
// of its operands. `toMlir` drops the signedness.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_TYPES_H
#define HOCKET_FRONTEND_TYPES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hocket::frontend {

/// A scalar type of the language. A DType has the same name as the type in hocket.language, such as "int1",
/// "float8e4nv" and "bfloat16".
class DType {
public:
  enum Kind : uint8_t {
    Void,
#define ELEMENT(enumerator, ...) enumerator,
#include "support/ElementTypes.def"
  };

  constexpr DType(Kind kind = Void) : kind(kind) {}
  constexpr operator Kind() const { return kind; } // NOLINT: implicit, for switch and ==

  constexpr bool isBool() const { return kind == Int1; }
  /// True for integer types, including bool.
  constexpr bool isInteger() const { return kind >= Int1 && kind <= UInt64; }
  constexpr bool isSigned() const { return kind >= Int8 && kind <= Int64; }
  /// True for unsigned integer types and for bool, which are zero-extended.
  constexpr bool isUnsigned() const { return kind == Int1 || (kind >= UInt8 && kind <= UInt64); }
  constexpr bool isFloat() const { return kind >= Float8E5; }
  constexpr bool isFloat8() const { return kind >= Float8E5 && kind <= Float8E4B8; }
  /// Returns the number of bits of a value of this type: 1 for bool.
  unsigned bitWidth() const;
  /// Returns the number of bytes of one element in memory: 1 for bool.
  unsigned sizeBytes() const { return (bitWidth() + 7) / 8; }

  std::string_view name() const;
  /// Returns the name of the type in kernel signatures (Signature.h), such as "f32".
  std::string_view shortName() const;
  static std::optional<DType> fromName(std::string_view name);
  static std::optional<DType> fromShortName(std::string_view name);
  /// Returns the short names of all types, separated by spaces.
  static std::string shortNames();
  /// Returns the signed or unsigned integer type with `bits` bits.
  static DType integer(unsigned bits, bool isSigned);
  mlir::Type toMlir(mlir::MLIRContext *context) const;

private:
  Kind kind;
};

/// Type of the elements of a value: a dtype, or a pointer to values of a dtype in global memory.
struct ElementType {
  DType dtype;
  bool isPointer = false;

  ElementType(DType dtype, bool isPointer = false) : dtype(dtype), isPointer(isPointer) {} // NOLINT: implicit
  ElementType(DType::Kind kind) : dtype(kind) {}                                           // NOLINT: implicit
  static ElementType pointerTo(DType dtype) { return {dtype, true}; }

  bool operator==(const ElementType &other) const {
    return dtype.operator DType::Kind() == other.dtype && isPointer == other.isPointer;
  }
  bool operator!=(const ElementType &other) const { return !(*this == other); }

  /// Returns the text of the type, such as "float32" or "pointer<float32>".
  std::string toString() const;
  /// Converts the element type to an MLIR type. A pointer to bool is !hk.ptr<i8>, because bools in memory are bytes.
  mlir::Type toMlir(mlir::MLIRContext *context) const;
};

/// The type of a run-time value.
///   Scalar      one value of type `element`
///   Tensor      a tensor of `shape` in registers; `layout` is a distributed layout
///   MemDesc     a tensor of `shape` in shared memory, part of a buffer of `allocShape`; `layout` is a shared layout
///   TensorDesc  a TMA descriptor of a tensor in global memory, which TMA copies in tiles of `shape`; with `im2col`,
///               each row of a tile holds channels of one pixel
class ValueType {
public:
  enum Kind : uint8_t { Scalar, Tensor, MemDesc, TensorDesc };

  ValueType(ElementType element) : element(element) {} // NOLINT: implicit, makes a scalar type
  ValueType(DType::Kind kind) : element(kind) {}       // NOLINT: implicit
  ValueType(DType dtype) : element(dtype) {}           // NOLINT: implicit
  static ValueType tensor(ElementType element, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout);
  static ValueType memDesc(DType dtype, llvm::ArrayRef<int64_t> shape, mlir::Attribute layout,
                           llvm::ArrayRef<int64_t> allocShape = {});
  static ValueType tensorDesc(DType dtype, llvm::ArrayRef<int64_t> blockShape, mlir::Attribute layout,
                              unsigned im2col = 0);

  Kind kind = Scalar;
  ElementType element;
  llvm::SmallVector<int64_t, 4> shape;
  mlir::Attribute layout;
  /// MemDesc only: shape of the buffer; larger than `shape` if the value is a view of a part of the buffer.
  llvm::SmallVector<int64_t, 4> allocShape;
  /// TensorDesc only: rank of the tensor in global memory if it is read as im2col; otherwise 0.
  unsigned im2col = 0;

  bool isScalar() const { return kind == Scalar; }
  bool isTensor() const { return kind == Tensor; }
  bool isMemDesc() const { return kind == MemDesc; }
  bool isTensorDesc() const { return kind == TensorDesc; }
  bool isPointer() const { return element.isPointer; }
  DType dtype() const { return element.dtype; }
  unsigned rank() const { return shape.size(); }
  /// Returns the rank of the tensor in global memory that a TensorDesc describes.
  unsigned tensorRank() const { return im2col ? im2col : rank(); }
  int64_t numElements() const;
  /// Returns this type with the element type `newElement`; the shape and the layout are kept.
  ValueType withElement(ElementType newElement) const;

  bool operator==(const ValueType &other) const;
  bool operator!=(const ValueType &other) const { return !(*this == other); }

  /// Returns the text of the type for messages, such as "int32" or "float32[64, 128] in BlockedLayout([1, 4], [8, 4],
  /// [4, 1], [1, 0])".
  std::string toString() const;
  mlir::Type toMlir(mlir::MLIRContext *context) const;
};

} // namespace hocket::frontend

#endif
