//===- ShuffleMovesPlan.h - Plans a conversion that stays within each warp --------===//
//
// ConvertLayoutPlan.h says what a plan means.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_SHUFFLEMOVESPLAN_H
#define HOCKET_PLANS_SHUFFLEMOVESPLAN_H

#include "plans/ConvertLayoutPlan.h"
#include "plans/PlaceMap.h"

namespace hocket {

/// Nothing if some element changes its warp, a lane would have to send two words in one round, or shared memory is
/// likely to be cheaper.
std::optional<ShuffleMoves> tryShuffleMoves(const PlaceMap &map, unsigned elementBits);

} // namespace hocket

#endif
