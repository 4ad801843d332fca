//===- StackRoom.h - Whether this thread's stack is nearly used up ------------------===//
//
// What recurses over a user's program asks before it goes deeper, and reports an error instead of crashing.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_STACKROOM_H
#define HOCKET_SUPPORT_STACKROOM_H

namespace hocket {

/// Less than half of the stack is left: the passes recurse over what was made from the program, with the same stack.
bool isStackNearlyFull();

} // namespace hocket

#endif
