//===- RemoveArithFences.h - Turns ARITH_FENCE into COPY after instruction selection ------------===//
//
// The lowering of a float-to-integer conversion wraps the operand in an arithmetic fence, so that LLVM does not assume
// that the operand is in range (ConvertLaneToRocdl.cpp). After instruction selection, the fence is no longer needed,
// and could lead to invalid code. Instruction selection assigns the class of scalar registers to a float that is equal
// in all lanes, even if a VALU instruction computes this float in a vector register. SIFixSGPRCopies, a pass that runs
// soon after instruction selection, corrects the register class for every instruction except a fence.
//
// Why LLVM does not do this: LLVM keeps fences until it emits assembly, after register allocation.
//
// Gain (docs/lab/isa.md): no kernel becomes faster. Without this pass, LLVM rejects kernels that convert a float that
// is equal in all lanes (tests/unit/codegen/amd/machine/RemoveArithFencesTest.cpp).
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_REMOVEARITHFENCES_H
#define HOCKET_CODEGEN_AMD_MACHINE_REMOVEARITHFENCES_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// Creates the pass, which must run directly after instruction selection.
llvm::FunctionPass *createRemoveArithFencesPass();

} // namespace hocket

#endif
