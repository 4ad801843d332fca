//===- PackNarrowPhis.h - Merges phis of narrow vector elements into phis of vectors ----------===//
//
// Elements of 8 or 16 bits that a lane loads in one iteration and stores in the next are carried by one phi each, and
// each phi takes a 32-bit register. LLVM then unpacks the vector at the end of the iteration, so the warp waits for the
// load there.
//
//   header:                                                   header:
//   %a = phi half [ %a0, %entry ], [ %a1, %header ]           %v = phi <2 x half> [ %v0, %entry ], [ %v1, %header ]
//   %b = phi half [ %b0, %entry ], [ %b1, %header ]     ->    %a = extractelement <2 x half> %v, 0
//   ...                                                       %b = extractelement <2 x half> %v, 1
//   %v1 = load <2 x half>                                     ...
//   %a1 = extractelement <2 x half> %v1, 0                    %v1 = load <2 x half>
//   %b1 = extractelement <2 x half> %v1, 1
//
// LLVM's own means: LiveRegOptimizer (AMDGPULateCodeGenPrepare) packs sub-dword vectors that are live across blocks,
// but the phis here are scalars already; nothing in LLVM merges those.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_IR_PACKNARROWPHIS_H
#define HOCKET_CODEGEN_AMD_IR_PACKNARROWPHIS_H

namespace llvm {
class Module;
}

namespace hocket {

/// Elements of this width fill a register; narrower ones are packed.
constexpr unsigned kPackedRegisterBits = 32;

/// Merges the phis of narrow elements of vectors of at most `mostBits` bits. Before LLVM's optimizations, `mostBits` is
/// one register: larger vectors would take consecutive registers, which are hard to find beside accumulators.
void packNarrowPhis(llvm::Module &module, unsigned mostBits);

} // namespace hocket

#endif
