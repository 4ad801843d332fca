//===- NamedBarriers.h - Which barriers of a block are whose ------------------------------------===//
//
//   0         1       2 ..                then                              then
//   launch    block   one per worker      those that the kernel allocates   warp pipelines
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_NAMEDBARRIERS_H
#define HOCKET_ANALYSIS_NAMEDBARRIERS_H

#include "dialect/hk/HkDialect.h"
#include "dialect/hk/PartitionPlan.h"
#include <map>

namespace hocket {

struct NamedBarriers {
  explicit NamedBarriers(mlir::Operation *function);

  int workers = 0; ///< of the warp_specialize that has most
  /// The uses of each barrier that the kernel allocates, in the order of the program.
  std::map<uint32_t, llvm::SmallVector<hk::NamedBarrierUse>> uses;

  /// The first of those that the kernel allocates.
  int first() const { return hk::kFirstWorkerBarrier + workers; }
  /// The first that is left for warp pipelines.
  int firstFree() const { return first() + static_cast<int>(uses.size()); }
  /// Who has them, for errors: "a block has 16, and its 3 workers use one each, ..".
  std::string describe() const;
};

} // namespace hocket

#endif
