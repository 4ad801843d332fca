//===- SyncRecord.h - Which pair of operations a wait, fence or barrier orders ----------------------===//
//
// For `kernel.sync_report()`. The passes that place or check synchronisation write down what they know, in the module's
// attribute hk.synchronization, an array of dictionaries:
//
//     what      "wait for products that leaves 1 group"
//     file, line    where it is: the place of the operation that it stands before, or its own if it is written
//     written       by the user, if it is there
//     earlier, later, their files and lines          the two operations: "product", "copy into shared memory"
//     why           what would happen without it, or if it were weaker
//
// pipeline/ReadFacts.cpp makes facts about the kernel of it.
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
  std::string laterWords = {}; ///< of `later`, if not `wordsFor` it
};

inline constexpr llvm::StringLiteral kSynchronizationAttr = "hk.synchronization";

/// Adds to what is written down for the module around `op`.
void recordSync(mlir::Operation *op, const SyncRecord &record);

/// "product", "load from shared memory": what an operation is to users.
std::string wordsFor(mlir::Operation *op);

} // namespace hocket

#endif
