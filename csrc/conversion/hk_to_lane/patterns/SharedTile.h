//===- SharedTile.h - One lane's accesses to a tile of shared memory ---------------===//
//
// The offset of a lane's element is  base + padded(lane part ^ register part ^ view start)  elements. The lane part is
// computed once. Bits of the register part that may also be set in the lane part or the view start are XORed (one
// address per distinct value); the others are added at the end as a constant, which becomes the immediate offset of the
// access:
//
//   lane part 0b0110x000, register parts 0, 1, 2, ... 7:  one address, immediates 0 ... 7
//   lane part 0b0000xx00, register part 0b0100 (swizzled): another address
//
// Addition after padding is correct because disjoint bits do not carry: padded(x | c) = padded(x) + padded(c).
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

/// The element offset of a view's start, which is XORed to all others.
struct ViewStart {
  /// Null if the start is the constant.
  mlir::Value offset;
  int32_t constant = 0;
  /// Bits that `offset` may have set.
  int32_t bits = 0;
};

/// Emits the start of a view of `type` in its buffer; `coordinates` are those of the lowered descriptor, `toOffset` is
/// `hk::offsetsOfBuffer(type)`.
ViewStart emitViewStart(mlir::OpBuilder &builder, mlir::Location loc, hk::MemDescType type,
                        mlir::ValueRange coordinates, const LinearLayout &toOffset);

/// The lane that computes an address, or (`lane` null) all lanes of a warp, which compute the same one.
struct Accessor {
  mlir::Value lane, warp;
  mlir::Value block = {}; ///< its index in the cluster, if relevant
};

class SharedTile {
public:
  /// `toOffset` maps (register, lane, warp) to element offsets from `base` (!llvm.ptr<3>). `elementType` is the
  /// lowered element type; i1 is stored as a byte, a pointer as 64 bits.
  SharedTile(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
             const LinearLayout &toOffset, mlir::Type elementType,
             llvm::ArrayRef<std::pair<int64_t, int64_t>> paddings = {}, ViewStart start = {});
  /// The memories of all blocks of a cluster: `toOffset` maps (register, lane, warp, block), and the memory at `base`
  /// of block r begins at offset r << `partBits`.
  SharedTile(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
             const LinearLayout &toOffset, mlir::Type elementType, unsigned partBits,
             llvm::ArrayRef<std::pair<int64_t, int64_t>> paddings = {}, ViewStart start = {});
  SharedTile(Accessor accessor, mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
             const LinearLayout &toOffset, mlir::Type elementType, llvm::ArrayRef<std::pair<int64_t, int64_t>> paddings,
             ViewStart start);

  /// Offset of register `reg` of a lane, without the parts of lane and view.
  int32_t registerOffset(unsigned reg) const { return toOffset.apply({{Dim::Register, int32_t(reg)}})[Dim::Offset]; }

  /// Accesses `elements.size()` or `width` consecutive elements, aligned to their size, at a register offset.
  void store(int32_t offset, llvm::ArrayRef<mlir::Value> elements);
  llvm::SmallVector<mlir::Value> load(int32_t offset, unsigned width);

  /// Stores all registers; loads all registers, copies included. `addedOffset` is a multiple of the tile's size; in the
  /// memories of a cluster it selects another block, by XOR.
  void storeAll(const VectorAccess &access, llvm::ArrayRef<mlir::Value> registers, int32_t addedOffset = 0);
  llvm::SmallVector<mlir::Value> loadAll(const VectorAccess &access, int32_t addedOffset = 0);

  /// Returns the address of the element at a register offset.
  mlir::Value address(int32_t offset);
  /// For the memories of a cluster: returns the index of the block that holds it.
  mlir::Value blockAt(int32_t offset);
  /// Returns consecutive elements in the form of memory: a scalar or a vector.
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
  /// Set for the memories of a cluster; null for the block's own.
  LoweringContext *cluster = nullptr;
  unsigned partBits = 31;
  /// The index of the block in the upper bits of an offset, and the address of `base` in that block.
  mlir::Value rankOf(mlir::Value elements);
  mlir::Value baseAt(mlir::Value elements);
  void addStart(ViewStart start);
  /// Addresses by XORed part of the offset.
  llvm::DenseMap<int32_t, mlir::Value> addresses;
};

} // namespace hocket

#endif
