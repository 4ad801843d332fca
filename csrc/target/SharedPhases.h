//===- SharedPhases.h - The tables of shared memory phases ------------------------===//
#ifndef HOCKET_TARGET_SHAREDPHASES_H
#define HOCKET_TARGET_SHAREDPHASES_H

#include "layout/SharedBanks.h"

namespace hocket {

/// All NVIDIA targets, CDNA3 and CDNA4; the sources are in SharedPhases.cpp.
extern const SharedBanks kNvidiaSharedBanks;
extern const SharedBanks kCdna3SharedBanks;
extern const SharedBanks kCdna4SharedBanks;

} // namespace hocket

#endif
