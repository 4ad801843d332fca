//===- LaneIndices.h - Which element a lane has, computed again after loops that multiply ---===//
//
// The rows and columns of a lane's elements are its number, shifted and masked:
//
//   %lane = and i32 %thread, 31                  for the queries that are loaded
//   ..
//   loop with matrix products
//   ..
//   %row = mul i32 %lane, %stride                for the results that are stored
//
// LLVM computes each of these numbers once and keeps it, through a loop in which products may need every register, so
// that it is spilled. Here they are computed again after such a loop, from a copy of the thread's number that LLVM does
// not know to be one:
//
//   %again = call i32 asm sideeffect "", "=v,0"(i32 %thread)
//   %lane.again = and i32 %again, 31
//   %row = mul i32 %lane.again, %stride
//
// Numbers that the loop itself uses stay. No result changes. It costs the few instructions that are run twice.
//
//===------------------------------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_LANEINDICES_H
#define HOCKET_CODEGEN_LANEINDICES_H

namespace llvm {
class Module;
}

namespace hocket {

/// Does so in the functions of `module`, which is for AMD's GPUs.
void recomputeLaneIndices(llvm::Module &module);

} // namespace hocket

#endif
