//===- RemoveArithFences.h - Turns ARITH_FENCE into COPY after instruction selection ------------===//
//
// The lowering of a float-to-integer conversion hides its operand behind an arithmetic fence, so that LLVM does not
// assume that the operand is in range (ConvertLaneToRocdl.cpp). After instruction selection, the fence is no longer
// needed, and would lead to invalid code. LLVM assigns a scalar register to a value that is equal in all lanes,
// although a VALU instruction computes it in a vector register. SIFixSGPRCopies, which runs soon after, repairs such
// values for every instruction except a fence.
//
// Why LLVM does not do this: LLVM removes fences when it emits assembly, after registers have been assigned.
//
// Gain (docs/lab/isa.md): none in speed. Without this pass, LLVM rejects kernels that convert a float that is equal in
// all lanes (tests/unit/codegen/amd/machine/RemoveArithFencesTest.cpp).
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_REMOVEARITHFENCES_H
#define HOCKET_CODEGEN_AMD_MACHINE_REMOVEARITHFENCES_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// Creates the pass. The pass must run directly after instruction selection.
llvm::FunctionPass *createRemoveArithFencesPass();

} // namespace hocket

#endif
