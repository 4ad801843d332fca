//===- DependentCopies.h - Copies of elements at inputs that differ in several bits ---===//
//
// An input bit with a zero basis does not change the element: two lanes that differ only in this bit hold the same
// elements. The basis of an input bit can also be the XOR of the bases of other bits. Example: lane bits with the bases
// 1, 2 and 3:
//
//     lane      0 1 2 3 4 5 6 7
//     element   0 1 2 3 3 2 1 0
//
// Lane 4 holds a copy of lane 3's element. Lane bit 2 is *free* (LinearLayout::getFreeVariableMasks), because its
// basis, 3, is the XOR of the bases of lower bits. Clearing lane bit 2 in lane 4 gives lane 0, which holds another
// element. Therefore clearing the free bits of a lane does not always give the first lane that holds the same element
// (here lane 3).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_DEPENDENTCOPIES_H
#define HOCKET_LAYOUT_DEPENDENTCOPIES_H

#include "layout/LinearLayout.h"

namespace hocket {

/// True if a free bit (LinearLayout::getFreeVariableMasks) has a basis other than zero.
bool hasDependentCopies(const LinearLayout &layout);

} // namespace hocket

#endif
