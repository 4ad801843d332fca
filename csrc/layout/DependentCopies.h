//===- DependentCopies.h - Copies of elements that no single bit makes ---------------===//
//
// Where a basis is zero, its bit changes nothing: holders that differ in it are copies of each other. A basis can also
// be the sum of others. Lanes with the bases 1, 2 and 3 hold
//
//     lane      0 1 2 3 4 5 6 7
//     element   0 1 2 3 3 2 1 0
//
// so the copy of lane 4 is lane 3: whoever looks for the first holder must change other bits, too.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_DEPENDENTCOPIES_H
#define HOCKET_LAYOUT_DEPENDENTCOPIES_H

#include "layout/LinearLayout.h"

namespace hocket {

/// Whether a free bit (LinearLayout::getFreeVariableMasks) has a basis that is not zero.
bool hasDependentCopies(const LinearLayout &layout);

} // namespace hocket

#endif
