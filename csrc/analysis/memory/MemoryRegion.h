//===- MemoryRegion.h - The part of a buffer that a memory descriptor refers to ---===//
//
// A view is described by a box and by an interval of bytes:
//
//   box     the elements, as one interval for each dimension of the buffer. Two views of one buffer are disjoint if
//           their boxes are disjoint in some dimension, whatever the swizzle or padding of the layout.
//   bytes   an interval that contains all bytes of the view. The bytes are compared if the views are of different
//           buffers, which may overlap, or if a view has no box (reinterpretations).
//
// A ring buffer of three 4 x 8 tiles of f16, and views of it:
//
//     %ring = hk.local_alloc : () -> !hk.memdesc<3x4x8xf16, #shared>      box [0,3) x [0,4) x [0,8)    bytes [0, 192)
//     %slot = hk.memdesc_index %ring[%c1]                                 box [1,2) x [0,4) x [0,8)    bytes [64, 128)
//     %half = hk.memdesc_slice %slot [0, 4] -> 4x4                        box [1,2) x [0,4) x [4,8)    bytes [64, 128)
//     %any  = hk.memdesc_index %ring[%i]                                  box [0,3) x [0,4) x [0,8)    bytes [0, 192)
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_MEMORYREGION_H
#define HOCKET_ANALYSIS_MEMORYREGION_H

#include "dialect/hk/ir/HkDialect.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace hocket {

/// The integers from `begin` to `end` - 1.
struct Interval {
  int64_t begin = 0, end = 0;
  bool overlaps(const Interval &other) const { return begin < other.end && other.begin < end; }
  bool operator==(const Interval &) const = default;
};

/// Returns the memory space of the buffer or scratch memory that `owner` allocates.
hk::MemorySpace spaceOf(mlir::Operation *owner);

class MemoryRegion {
public:
  /// Returns the region of a whole buffer.
  static MemoryRegion ofBuffer(hk::LocalAllocOp alloc);
  /// Returns the region of the scratch memory of `op`, which has `bytes` bytes.
  static MemoryRegion ofScratch(mlir::Operation *op, int64_t bytes);

  /// Returns the region to which `view`, a view of this region, refers.
  MemoryRegion viewedBy(hk::MemDescView view) const;
  /// Returns the region of the whole buffer that contains this region.
  MemoryRegion somewhereInBuffer() const;

  /// The operation that allocates the memory; getBytes counts bytes from the start of that memory.
  mlir::Operation *getOwner() const { return owner; }
  hk::MemorySpace getSpace() const { return spaceOf(owner); }
  Interval getBytes() const { return bytes; }
  /// True if the view that selects the region has no run-time indices. All accesses through such a view are of the same
  /// region.
  bool isExact() const { return exact; }

  /// True if the two regions may overlap. If the regions have different owners, memory offsets must have been assigned
  /// to both owners.
  bool mayOverlap(const MemoryRegion &other) const;
  /// True if the two regions certainly contain the same elements, viewed with the same dimensions.
  bool isSameView(const MemoryRegion &other) const { return exact && *this == other; }
  /// True if the two regions are the same elements of a slot, viewed with the same dimensions, provided that the slots
  /// are the same.
  bool isSameViewOfSlot(const MemoryRegion &other) const;
  bool operator==(const MemoryRegion &other) const = default;

private:
  /// Returns the part of this region that a view of shape `shape` selects by the box `viewed`, which is relative to
  /// this region.
  MemoryRegion cut(const hk::ViewedBox &viewed, llvm::ArrayRef<int64_t> shape) const;
  MemoryRegion reinterpreted(hk::MemDescType type) const;
  /// Sets the box to a whole buffer of type `type` that starts at byte `begin`.
  void setGeometry(hk::MemDescType type, int64_t begin);
  void updateBytes();
  void forgetBox();
  Interval placedBytes() const;

  mlir::Operation *owner = nullptr;
  Interval bytes;
  bool exact = true;
  /// `geometry` is the type that defines the dimensions of `box`; null if only bytes are known. `geometryBegin` is the
  /// byte at which a buffer of type `geometry` starts.
  hk::MemDescType geometry;
  int64_t geometryBegin = 0;
  llvm::SmallVector<Interval, 3> box;
  /// Dimension i of the view is dimension dims[i] of `geometry`.
  llvm::SmallVector<unsigned, 3> dims;
};

/// Emits an error at the first operation in `root` that allocates memory or uses scratch memory, but has no memory
/// offset. Passes must call this function before they compare regions.
mlir::LogicalResult requirePlaced(mlir::Operation *root);

} // namespace hocket

#endif
