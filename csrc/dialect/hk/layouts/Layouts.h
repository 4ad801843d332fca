//===- Layouts.h - Linear maps of typed values, and equivalence of layouts ----------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_LAYOUTS_H
#define HOCKET_DIALECT_HK_LAYOUTS_LAYOUTS_H

#include "dialect/hk/ir/HkDialect.h"

namespace hocket::hk {

/// True if a pass has yet to choose this layout; false for null.
inline bool isUndecided(mlir::Attribute layout) { return llvm::isa_and_nonnull<UndecidedLayout>(layout); }

/// Returns the map (register, lane, warp, block) -> element of a tensor with a decided layout.
LinearLayout toLinearLayout(mlir::RankedTensorType type);

/// Returns the map (offset, block) -> element of the whole buffer of the handle type `type`, without slots and padding.
LinearLayout toLinearLayout(MemDescType type);

/// True if two layouts assign each element of a tile of `shape` to the same registers or offsets. The attributes of the
/// two layouts may differ.
bool areEquivalentLayouts(llvm::ArrayRef<int64_t> shape, mlir::Attribute a, mlir::Attribute b);

/// True if two layouts are equivalent, or one is undecided and may still become equivalent.
bool mayBeEquivalentLayouts(llvm::ArrayRef<int64_t> shape, mlir::Attribute a, mlir::Attribute b);

/// Returns the attribute whose map is `layout`, a map from register, lane, warp and block to dim0, dim1, ...
LinearAttr linearAttrOf(mlir::MLIRContext *context, const LinearLayout &layout);

/// Returns the basis rows of the block dimension for operand `opIdx` of a dot, given the basis rows of the accumulator.
/// Each CTA holds the whole K dimension of its operand.
BasisRows operandRows(const BasisRows &accumulator, unsigned opIdx);

/// Returns `layout` for the same elements, numbered row-major, in another shape.
LinearLayout reshapeRowMajor(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);

/// Returns `layout` with tensor dimension order[i] renamed to i.
LinearLayout permuteDims(const LinearLayout &layout, llvm::ArrayRef<int32_t> order);

} // namespace hocket::hk

#endif
