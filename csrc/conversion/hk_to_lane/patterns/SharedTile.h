//===- SharedTile.h - One lane's accesses to a tile of shared memory ---------------===//
//
// The offset of a lane's element is base + padded(lane part ^ register part ^ view start) elements. The lane part is
// computed once. Bits of the register part that can also be set in the lane part or the view start must be XORed: an
// address is computed for each distinct value of these bits. The other bits of the register part are added as a
// constant, the immediate offset of the access:
//
//   lane part 0b0110x000, register parts 0, 1, 2, ... 7:  one address, immediate offsets 0 ... 7
//   lane part 0b0000xx00, register part 0b0100 (swizzled): a second address
//
// The constant can be added after padding, because disjoint bits do not carry: padded(x | c) = padded(x) + padded(c).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_SHAREDTILE_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_SHAREDTILE_H

#include "dialect/hk/ir/HkDialect.h"
#include "layout/LinearLayout.h"
#include "layout/VectorAccess.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace hocket {

class LoweringContext;

/// The element offset of the start of a view, which is XORed to all other parts.
struct ViewStart {
  /// The part of the offset that is known at run time; null if the start is constant.
  mlir::Value offset;
  int32_t constant = 0;
  /// The bits that can be set in `offset`.
  int32_t bits = 0;
};

/// Emits the offset at which a view of `type` starts in its buffer. `coordinates` are the start coordinates in the
/// lowered handle, `toOffset` is `hk::offsetsOfBuffer(type)`.
ViewStart emitViewStart(mlir::OpBuilder &builder, mlir::Location loc, hk::MemDescType type,
                        mlir::ValueRange coordinates, const LinearLayout &toOffset);

/// The lane, warp and block for which an address is computed. If `lane` is null, all lanes of the warp compute the same
/// address.
struct Accessor {
  mlir::Value lane, warp;
  mlir::Value block = {}; ///< index of the block in the cluster, if the address depends on it
};

class SharedTile {
public:
  /// Creates a tile in which `toOffset` maps (register, lane, warp) to element offsets from `base` (!llvm.ptr<3>).
  /// `elementType` is the lowered element type; i1 is stored as a byte, a pointer as 64 bits.
  SharedTile(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
             const LinearLayout &toOffset, mlir::Type elementType,
             llvm::ArrayRef<std::pair<int64_t, int64_t>> paddings = {}, ViewStart start = {});
  /// Creates a tile in the memories of all CTAs of a cluster. `toOffset` maps (register, lane, warp, block) to element
  /// offsets, where the memory at `base` of CTA r begins at offset r << `partBits`.
  SharedTile(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
             const LinearLayout &toOffset, mlir::Type elementType, unsigned partBits,
             llvm::ArrayRef<std::pair<int64_t, int64_t>> paddings = {}, ViewStart start = {});
  SharedTile(Accessor accessor, mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
             const LinearLayout &toOffset, mlir::Type elementType, llvm::ArrayRef<std::pair<int64_t, int64_t>> paddings,
             ViewStart start);

  /// Returns the register part of the offset of register `reg`.
  int32_t registerOffset(unsigned reg) const { return toOffset.apply({{Dim::Register, int32_t(reg)}})[Dim::Offset]; }

  /// Functions that store `elements.size()` or load `width` consecutive elements at a register offset. The access is
  /// aligned to its total size.
  void store(int32_t offset, llvm::ArrayRef<mlir::Value> elements);
  llvm::SmallVector<mlir::Value> load(int32_t offset, unsigned width);

  /// Functions that store or load all registers, including copies. `addedOffset` is a multiple of the tile's size. In
  /// the memories of a cluster, `addedOffset` is XORed to the offset, and selects another CTA.
  void storeAll(const VectorAccess &access, llvm::ArrayRef<mlir::Value> registers, int32_t addedOffset = 0);
  llvm::SmallVector<mlir::Value> loadAll(const VectorAccess &access, int32_t addedOffset = 0);

  /// Returns the address of the element at a register offset.
  mlir::Value address(int32_t offset);
  /// For the memories of a cluster: returns the index of the CTA that holds the element at a register offset.
  mlir::Value blockAt(int32_t offset);
  /// Returns consecutive elements in the form in which they are stored: a scalar or a vector of the memory type.
  mlir::Value packed(llvm::ArrayRef<mlir::Value> elements);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value base;
  LinearLayout toOffset;
  mlir::Type elementType, memoryType;
  unsigned elementBytes;
  llvm::SmallVector<std::pair<int64_t, int64_t>> paddings;
  mlir::Value laneOffset;
  int32_t laneBits = 0;
  /// The lowering context of a tile in the memories of all CTAs of a cluster; null for other tiles.
  LoweringContext *cluster = nullptr;
  unsigned partBits = 31;
  /// Functions that return the index of the CTA in the upper bits of an offset, and the address of `base` in that CTA.
  mlir::Value rankOf(mlir::Value elements);
  mlir::Value baseAt(mlir::Value elements);
  void addStart(ViewStart start);
  /// The addresses that have been computed so far. The key is the part of the register offset that is XORed.
  llvm::DenseMap<int32_t, mlir::Value> addresses;
};

} // namespace hocket

#endif
