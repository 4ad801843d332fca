//===- SharedPhases.h - Lanes that shared memory serves in the same phase ---------===//
#ifndef HOCKET_TARGET_SHAREDPHASES_H
#define HOCKET_TARGET_SHAREDPHASES_H

#include "layout/SharedBanks.h"

namespace hocket {

/// Bank tables of Ampere, Hopper, CDNA3 and CDNA4; SharedPhases.cpp names the sources.
extern const SharedBanks kAmpereSharedBanks;
extern const SharedBanks kHopperSharedBanks;
extern const SharedBanks kCdna3SharedBanks;
extern const SharedBanks kCdna4SharedBanks;

} // namespace hocket

#endif
