//===- AmdTarget.h - Which of AMD's GPUs a kernel is compiled for ----------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_AMDTARGET_H
#define HOCKET_FRONTEND_SEMANTICS_AMDTARGET_H

#include "frontend/semantics/Builtins.h"
#include "target/MatrixInstructions.h"

namespace hocket::frontend {

inline bool isCdna4(const TargetInfo &target) { return mfmaVersionOf(target) == 4; }

/// Stops where the builtin `name` ("amd.cdna3.mfma") is another vendor's than the target.
void checkVendor(Emitter &e, std::string_view name);

} // namespace hocket::frontend

#endif
