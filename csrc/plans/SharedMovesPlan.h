//===- SharedMovesPlan.h - Layout conversions through scratch memory --------------===//
//
// ConvertLayoutPlan.h defines SharedMoves, the plan of such a conversion.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_SHAREDMOVESPLAN_H
#define HOCKET_PLANS_SHAREDMOVESPLAN_H

#include "plans/ConvertLayoutPlan.h"

namespace hocket {

SharedMoves planSharedMoves(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                            const TargetInfo &target, int64_t scratchLimit);

} // namespace hocket

#endif
