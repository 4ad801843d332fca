//===- SharedPhases.h - The tables of shared memory phases ------------------------===//
#ifndef HOCKET_TARGET_SHAREDPHASES_H
#define HOCKET_TARGET_SHAREDPHASES_H

#include "layout/SharedBanks.h"

namespace hocket {

/// Ampere and Hopper, CDNA3 and CDNA4; the sources are in SharedPhases.cpp.
extern const SharedBanks kAmpereSharedBanks;
extern const SharedBanks kHopperSharedBanks;
extern const SharedBanks kCdna3SharedBanks;
extern const SharedBanks kCdna4SharedBanks;

} // namespace hocket

#endif
