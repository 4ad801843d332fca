//===- SyncRecord.h - Records the operations that a wait, fence or barrier orders -------------------===//
//
// For `kernel.sync_report()`. The passes that insert or check synchronization record their decisions in the module's
// attribute hk.synchronization, an array of dictionaries:
//
//     what      "wait for products that leaves 1 group"
//     file, line    the location of the operation before which it is inserted, or its own if the kernel has it
//     written       present if the kernel has it
//     earlier, later, their files and lines          the two operations: "product", "copy into shared memory"
//     why           consequence of leaving it out, or of weakening it
//
// pipeline/ReadFacts.cpp turns the attribute into facts about the kernel.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_SYNCRECORD_H
#define HOCKET_TRANSFORMS_SYNCRECORD_H

#include "mlir/IR/BuiltinOps.h"

namespace hocket {

struct SyncRecord {
  std::string what;
  mlir::Location at;
  bool isWritten = false;
  mlir::Operation *earlier = nullptr, *later = nullptr; ///< null: not known
  std::string why = {};
  std::string laterWords = {}; ///< description of `later`, if it differs from `wordsFor`
};

inline constexpr llvm::StringLiteral kSynchronizationAttr = "hk.synchronization";

/// Adds a record to the module around `op`.
void recordSync(mlir::Operation *op, const SyncRecord &record);

/// Returns the user's name for an operation: "product", "load from shared memory".
std::string wordsFor(mlir::Operation *op);

} // namespace hocket

#endif
