//===- SyncScopes.h - AMDGPU's names of synchronization scopes -------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_ROCDL_SYNCSCOPES_H
#define HOCKET_CONVERSION_LANE_TO_ROCDL_SYNCSCOPES_H

#include "conversion/lane_to_llvm/Expansion.h"

namespace hocket {

inline constexpr ScopeNames kAmdScopes{"workgroup", "agent", ""};

} // namespace hocket

#endif
