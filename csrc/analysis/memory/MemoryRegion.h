//===- MemoryRegion.h - The part of a buffer that a memory descriptor refers to ---===//
//
// A view is described in two ways, for two purposes:
//
//   box     its elements, as one interval per dimension of the buffer. Two views of the same buffer are disjoint if
//           they are disjoint in some dimension, whatever the swizzle or padding of the layout.
//   bytes   an interval of bytes that contains all of them, for buffers that reuse each other's memory, and for views
//           without a box (a reinterpretation).
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

/// [begin, end)
struct Interval {
  int64_t begin = 0, end = 0;
  bool overlaps(const Interval &other) const { return begin < other.end && other.begin < end; }
  bool operator==(const Interval &) const = default;
};

/// Returns the space of the memory that `owner` allocates: its buffer, or its scratch memory.
hk::MemorySpace spaceOf(mlir::Operation *owner);

class MemoryRegion {
public:
  /// Returns the region of a whole buffer.
  static MemoryRegion ofBuffer(hk::LocalAllocOp alloc);
  /// Returns the region of `bytes` of scratch memory of an operation.
  static MemoryRegion ofScratch(mlir::Operation *op, int64_t bytes);

  /// Returns the region of `view` of this region.
  MemoryRegion viewedBy(hk::MemDescView view) const;
  /// Returns the region of the whole buffer that contains this one.
  MemoryRegion somewhereInBuffer() const;

  /// The operation that owns the memory, and the bytes counted from the start of that memory.
  mlir::Operation *getOwner() const { return owner; }
  hk::MemorySpace getSpace() const { return spaceOf(owner); }
  Interval getBytes() const { return bytes; }
  /// True without run-time indices: the region is the same at each access.
  bool isExact() const { return exact; }

  /// True if the two may share bytes. Different owners must have been allocated (hk.offset).
  bool mayOverlap(const MemoryRegion &other) const;
  /// True if the two are certainly the same elements, viewed with the same dimensions.
  bool isSameView(const MemoryRegion &other) const { return exact && *this == other; }
  /// True for the same elements of some slot, viewed with the same dimensions: of the same slot, if the indices are
  /// equal.
  bool isSameViewOfSlot(const MemoryRegion &other) const;
  bool operator==(const MemoryRegion &other) const = default;

private:
  /// Returns the box `viewed` of this region, in a view of shape `shape`.
  MemoryRegion cut(const hk::ViewedBox &viewed, llvm::ArrayRef<int64_t> shape) const;
  MemoryRegion reinterpreted(hk::MemDescType type) const;
  /// Sets the box to all of a buffer of `type` that starts at byte `begin`.
  void setGeometry(hk::MemDescType type, int64_t begin);
  void updateBytes();
  void forgetBox();
  Interval placedBytes() const;

  mlir::Operation *owner = nullptr;
  Interval bytes;
  bool exact = true;
  /// The type that defines the dimensions of `box`, and the byte at which a buffer of that type starts; null if only
  /// bytes are known.
  hk::MemDescType geometry;
  int64_t geometryBegin = 0;
  llvm::SmallVector<Interval, 3> box;
  /// Dimension i of the view is dimension dims[i] of the geometry.
  llvm::SmallVector<unsigned, 3> dims;
};

/// Fails with an error at the first operation in `root` that needs memory and has no hk.offset. Passes that compare
/// regions call it first.
mlir::LogicalResult requirePlaced(mlir::Operation *root);

} // namespace hocket

#endif
