//===- TypeConverter.h - Converts hk types to the types of a lane's registers -----===//
//
// Each hk value is converted to the list of values that one lane holds in registers, without structs:
//
//   scalar                    -> itself (f8 types: i8)
//   !hk.ptr<T>                -> !llvm.ptr<1>
//   tensor<..., #distributed> -> one scalar per register of the layout, in the order of its Register input dimension,
//                                including copies: value r is the element at the coordinates that emitIndices returns
//                                for r
//   !hk.memdesc               -> !llvm.ptr<3> of the current slot, then one i32 per dimension of the *layout*: the
//                                coordinate (in elements of the buffer) at which the view starts
//
// Views of shared memory therefore need almost no instructions. `memdesc_slice` adds constants to the coordinates. The
// offsets of a slice are multiples of its sizes, so that addition equals XOR and the layout stays linear.
// `memdesc_permute` permutes the coordinates. `memdesc_index` advances the pointer by the index times the bytes of a
// slot. Leading dimensions that the layout does not cover are slot dimensions, and have no coordinate.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_TYPECONVERTER_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_TYPECONVERTER_H

#include "dialect/lane/AddressSpaces.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/DialectConversion.h"

namespace hocket {

class LinearLayout;

class HkTypeConverter : public mlir::TypeConverter {
public:
  explicit HkTypeConverter(mlir::MLIRContext *context);

  /// Returns the type of one register of a scalar or tensor, which is the lowered element type.
  mlir::Type elementType(mlir::Type type) const;
  /// Returns the number of registers in which one lane holds its part of a tensor; 1 for a scalar.
  unsigned numRegisters(mlir::Type type) const;
};

/// Returns the linear layout of a tensor type with a distributed encoding.
LinearLayout tensorLayout(mlir::RankedTensorType type);

} // namespace hocket

#endif
