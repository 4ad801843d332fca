//===- ShuffleMovesPlan.h - Layout conversions by shuffles within each warp -------===//
//
// ConvertLayoutPlan.h defines ShuffleMoves, the plan of such a conversion.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_SHUFFLEMOVESPLAN_H
#define HOCKET_PLANS_SHUFFLEMOVESPLAN_H

#include "plans/ConvertLayoutPlan.h"
#include "plans/PositionMap.h"

namespace hocket {

/// Plans a layout conversion by shuffles. Returns nullopt if an element moves to another warp, if a lane would have to
/// send two words in one round, or if an exchange through shared memory is likely to be cheaper.
std::optional<ShuffleMoves> tryShuffleMoves(const PositionMap &map, unsigned elementBits);

} // namespace hocket

#endif
