//===- StackRoom.h - Check for remaining stack space --------------------------------===//
//
// Functions that recurse over a user's program call isStackNearlyFull() before they recurse, and report an error to the
// user if the result is true. Without this check, a deeply nested program would overflow the stack.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_STACKROOM_H
#define HOCKET_SUPPORT_STACKROOM_H

namespace hocket {

/// True if less than half of the calling thread's stack is free. Half of the stack must stay free because compiler
/// passes later recurse, on the same stack, over IR that is as deeply nested as the user's program.
bool isStackNearlyFull();

} // namespace hocket

#endif
