//===- Tma.h - What functions of nvidia.hopper.tma share --------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_NVIDIA_TMA_H
#define HOCKET_FRONTEND_SEMANTICS_NVIDIA_TMA_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// An error where the target has no TMA.
void checkHasTma(Emitter &e, const Arguments &args);

} // namespace hocket::frontend

#endif
