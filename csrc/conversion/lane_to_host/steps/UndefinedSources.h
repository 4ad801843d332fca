//===- UndefinedSources.h - Finds values that can be undefined, and the reads that return them ---===//
//
// A read of shared memory, or of an array in global memory whose writes are tracked, can return uninitialized memory. A
// masked-off read of global memory without `other` has no value. All values that are computed from the results of such
// reads can also be undefined.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_STEPS_UNDEFINEDSOURCES_H
#define HOCKET_CONVERSION_LANE_TO_HOST_STEPS_UNDEFINEDSOURCES_H

#include "conversion/lane_to_host/HostFunction.h"

namespace hocket {

class UndefinedSources {
public:
  /// `unwritten` is true if writes of arrays are tracked.
  UndefinedSources(HostFunction &host, bool unwritten);

  bool areNone() const { return reads.empty(); }
  bool mayBeUndefined(mlir::Value value) const { return sources.contains(value); }
  /// True if operands of MMAs, and thus their results, can be undefined.
  bool mayMatricesBe() const { return !matrices.empty(); }
  /// Returns a description of the reads from which undefined bits of `values` can originate, such as "line 12, masked
  /// off without `other`".
  std::string describe(mlir::ValueRange values) const;

private:
  /// The numbers of some reads, in ascending order. Only the first reads, which fit into a message, are kept.
  using Reads = llvm::SmallVector<unsigned, 4>;

  enum class Kind : uint8_t { Shared, MaskedOff, Unwritten, Wgmma };

  void findReads(bool unwritten);
  void addRead(mlir::Value result, Kind kind);
  void propagate(mlir::Value value);
  /// Adds `more` to `known`; returns true if this changed `known`.
  bool add(Reads &known, const Reads &more);
  void addTo(mlir::Value value, const Reads &more);

  HostFunction &host;
  struct Read {
    int line;
    Kind kind;
    bool operator==(const Read &) const = default;
  };
  llvm::SmallVector<Read> reads;
  llvm::DenseMap<mlir::Value, Reads> sources;
  Reads matrices, stored; ///< reads whose values are operands of MMAs; reads whose values are stored to shared memory
  llvm::SmallVector<mlir::Value> pending, matrixLoads, sharedLoads;
};

/// Returns the call that has checked `address`, if `address` is in global memory; null otherwise.
mlir::LLVM::CallOp globalCheckOf(mlir::Value address);
/// Returns the kind of rendezvous that a call of `crossLane` requests.
host_abi::CrossLaneOp crossLaneKindOf(mlir::LLVM::CallOp call);
/// Returns the site of a call of `crossLane`.
host_abi::SiteNumber crossLaneSiteOf(mlir::LLVM::CallOp call);
/// Returns the offset of `address` in the lane's operand memory of MMAs; nullopt if it is not in this memory.
std::optional<int32_t> matrixFieldOf(HostFunction &host, mlir::Value address);
/// Returns the offset of `address` in the lane's operand memory of wgmma; nullopt if it is not in this memory.
std::optional<int32_t> warpgroupFieldOf(HostFunction &host, mlir::Value address);

} // namespace hocket

#endif
