//===- EndFences.h - The end of what hides floats from the optimiser ----------------===//
//
// A conversion to an integer hides its float in an arithmetic fence, so that nobody assumes it to be in range
// (ConvertLaneToRocdl.cpp). Once instructions are selected the fence has done its work, and from there on it harms: a
// float that is the same in all lanes has a scalar register to LLVM, which its arithmetic leaves in a vector one. The
// pass that looks after such copies, the next but few, knows what to do with those into any instruction but a fence.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_ENDFENCES_H
#define HOCKET_CODEGEN_ENDFENCES_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// Makes fences copies. For the time right after instruction selection.
llvm::FunctionPass *createEndFencesPass();

} // namespace hocket

#endif
