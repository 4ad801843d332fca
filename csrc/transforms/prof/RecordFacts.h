//===- RecordFacts.h - What the host must know to read a kernel's records -----------===//
#ifndef HOCKET_TRANSFORMS_PROF_RECORDFACTS_H
#define HOCKET_TRANSFORMS_PROF_RECORDFACTS_H

#include "dialect/prof/ProfDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace hocket {

/// Discardable attribute of the records of a stage, an i32: its number in its pipeline.
inline constexpr llvm::StringLiteral kStageNumberAttr = "prof.stage";

/// Discardable unit attribute of the records of a stage that one group at a time is in.
inline constexpr llvm::StringLiteral kExclusiveStageAttr = "prof.exclusive";

/// How the records of a kernel are kept.
struct RecordPlan {
  prof::Space space = prof::Space::Device;
  llvm::SmallVector<int32_t> warps; ///< of which records are kept
  int blockWarps = 0;
  int64_t bytesPerUnit = 0;
  std::string symbol; ///< of a static buffer
  std::string note;   ///< what was not asked for, but chosen
};

/// The JSON text of docs/profiling_format.md.
std::string writeFacts(mlir::ModuleOp module, prof::ConfigAttr config, const RecordPlan &plan);

} // namespace hocket

#endif
