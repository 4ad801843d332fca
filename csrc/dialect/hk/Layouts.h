//===- Layouts.h - Linear maps of typed values, and the comparison of layouts by what they mean -===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_H
#define HOCKET_DIALECT_HK_LAYOUTS_H

#include "dialect/hk/HkDialect.h"

namespace hocket::hk {

/// Whether a pass is still to decide which layout this is. (False for no layout at all.)
inline bool isUndecided(mlir::Attribute layout) { return llvm::isa_and_nonnull<UndecidedLayout>(layout); }

/// (register, lane, warp, block) -> element, of a tensor with a layout that is decided.
LinearLayout toLinearLayout(mlir::RankedTensorType type);

/// (offset, block) -> element, of the buffer that `type` shows or was cut from; without slots and without padding.
LinearLayout toLinearLayout(MemDescType type);

/// Whether two layouts put each element of a tile of `shape` in the same places, however they are written.
bool areEquivalentLayouts(llvm::ArrayRef<int64_t> shape, mlir::Attribute a, mlir::Attribute b);

/// The same as far as it is known: an undecided layout may become any other.
bool mayBeEquivalentLayouts(llvm::ArrayRef<int64_t> shape, mlir::Attribute a, mlir::Attribute b);

/// The attribute whose map is `layout` (of a tensor: from register, lane, warp and block, dim0 first).
LinearAttr linearAttrOf(mlir::MLIRContext *context, const LinearLayout &layout);

/// How operand `opIdx` of a dot is dealt to a cluster's blocks where the accumulator is dealt by these rows: along K
/// each block has all.
BasisRows operandRows(const BasisRows &accumulator, unsigned opIdx);

/// `layout` of the same elements, numbered row-major, in another shape.
LinearLayout reshapeRowMajor(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);

/// `layout` with tensor dimension order[i] called i.
LinearLayout permuteDims(const LinearLayout &layout, llvm::ArrayRef<int32_t> order);

} // namespace hocket::hk

#endif
