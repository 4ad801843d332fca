//===- WholeVectors.h - Vectors that lanes take apart and join are whole again -------===//
//
// A tile is the elements that a lane holds of it, each a value of its own, while matrix cores take and give vectors. So
// between two products each of 64 sums of a lane is extracted, carried by a phi, and inserted again, and LLVM looks at
// all of that in every pass: half of attention's instructions are extracts and inserts. Here vectors are whole before
// LLVM begins:
//
//   %a = extractelement <2 x half> %v, 0                      (uses %v)
//   %b = extractelement <2 x half> %v, 1               ->
//   %w0 = insertelement <2 x half> poison, half %a, 0
//   %w = insertelement <2 x half> %w0, half %b, 1
//
// and operands, above all sums, are carried as matrix products take and give them:
//
//   %a = phi float [ 0.0, %entry ], [ %a1, %loop ]            %w = phi <4 x float> [ zeroinitializer, %entry ],
//   ..                                                                            [ %product, %loop ]
//   %w = insertelement <4 x float> %w2, float %d, 3    ->     %product = mfma(.., <4 x float> %w)
//   %product = mfma(.., <4 x float> %w)
//   %a1 = extractelement <4 x float> %product, 0
//   ..
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_WHOLEVECTORS_H
#define HOCKET_CODEGEN_WHOLEVECTORS_H

namespace llvm {
class Module;
}

namespace hocket {

/// Joins what is inserted into vectors of `module`, which is for CDNA, where it comes from others, and carries operands
/// of matrix products from block to block in vectors.
void joinVectors(llvm::Module &module);

} // namespace hocket

#endif
