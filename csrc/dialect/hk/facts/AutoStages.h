//===- AutoStages.h - Loops whose stages the compiler forms ------------------------===//
//
//     scf.for ... { ... } {hk.auto_stages}        gl.range(..., warp_pipeline="auto")
//
// hocket-form-stages turns the body of such a loop into stages of a warp pipeline, or leaves it as it is.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_AUTOSTAGES_H
#define HOCKET_DIALECT_HK_FACTS_AUTOSTAGES_H

#include "llvm/ADT/StringRef.h"

namespace hocket::hk {

/// Unit attribute of scf.for.
inline constexpr llvm::StringLiteral kAutoStagesAttr = "hk.auto_stages";

/// Module attribute that hocket-form-stages sets: an array of strings, the reports on these loops as JSON.
inline constexpr llvm::StringLiteral kStageReportsAttr = "hk.stage_reports";

} // namespace hocket::hk

#endif
