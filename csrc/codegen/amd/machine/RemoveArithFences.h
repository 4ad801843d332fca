//===- RemoveArithFences.h - Turns ARITH_FENCE into COPY after instruction selection ------------===//
//
// The lowering of a float-to-integer conversion hides its operand behind an arithmetic fence, so that LLVM does not
// assume it to be in range (ConvertLaneToRocdl.cpp). After instruction selection the fence has no further use and does
// harm: LLVM assigns a value that is equal in all lanes to a scalar register, but VALU arithmetic leaves it in a vector
// register, and SIFixSGPRCopies, which runs shortly after, repairs such copies for every instruction except a fence.
//
//===--------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_MACHINE_REMOVEARITHFENCES_H
#define HOCKET_CODEGEN_AMD_MACHINE_REMOVEARITHFENCES_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// For AMD GPUs, right after instruction selection.
llvm::FunctionPass *createRemoveArithFencesPass();

} // namespace hocket

#endif
