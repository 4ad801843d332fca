//===- CarryVectors.h - Narrow elements of one vector are carried together -----------===//
//
// What a lane has loaded in one iteration and stores in the next is carried element by element, and elements of 16 or 8
// bits take a register each: LLVM takes the vector apart where the iteration ends, so the warp waits for the load
// there.
//
//   header:                                                   header:
//   %a = phi half [ %a0, %entry ], [ %a1, %header ]           %v = phi <2 x half> [ %v0, %entry ], [ %v1, %header ]
//   %b = phi half [ %b0, %entry ], [ %b1, %header ]     ->    %a = extractelement <2 x half> %v, 0
//   ..                                                        %b = extractelement <2 x half> %v, 1
//   %v1 = load <2 x half>                                     ..
//   %a1 = extractelement <2 x half> %v1, 0                    %v1 = load <2 x half>
//   %b1 = extractelement <2 x half> %v1, 1
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_CARRYVECTORS_H
#define HOCKET_CODEGEN_CARRYVECTORS_H

namespace llvm {
class Module;
}

namespace hocket {

/// Wider elements fill a register anyway.
constexpr unsigned kCarriedRegisterBits = 32;

/// Merges the phis of narrow elements that come from the same vectors, of `mostBits` at most. Early, before LLVM's own
/// passes, only vectors that fit into a register should be: several registers in a row, which they keep together, are
/// hard to find among accumulators.
void carryVectors(llvm::Module &module, unsigned mostBits);

} // namespace hocket

#endif
