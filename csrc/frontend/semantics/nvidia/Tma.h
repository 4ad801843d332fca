//===- Tma.h - Common checks of nvidia.hopper.tma ---------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_NVIDIA_TMA_H
#define HOCKET_FRONTEND_SEMANTICS_NVIDIA_TMA_H

#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

/// Raises an error if the target has no TMA.
void checkHasTma(Emitter &e, const Arguments &args);

} // namespace hocket::frontend

#endif
