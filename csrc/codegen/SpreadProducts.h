//===- SpreadProducts.h - Matrix products take turns with arithmetic -----------------===//
//
// A wave issues in order. While its matrix core is busy with a product for 32 clocks, it can issue five or six vector
// instructions, but not the next product; nor can a product begin while those before it wait to be issued. LLVM's
// schedulers look at latencies, of which independent products have none, and leave both in heaps:
//
//   v_mfma                          v_mfma
//   v_exp x 7                       v_exp x 2, v_add x 2
//   v_mfma                          v_mfma
//   v_mfma               ->         v_exp x 2, v_add x 2
//   v_mfma                          ..
//   v_add x 10
//
// Here the products of a run of instructions without accesses of memory, such as a stage of a warp pipeline that
// multiplies, are dealt evenly among its arithmetic, as far as registers allow.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_SPREADPRODUCTS_H
#define HOCKET_CODEGEN_SPREADPRODUCTS_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// For AMD GPUs, after one of LLVM's schedulers: that before registers are allocated, or that after it (`isAllocated`).
/// An exponential and its like count as `transcendental` others.
llvm::FunctionPass *createSpreadProductsPass(int transcendental, bool isAllocated);

} // namespace hocket

#endif
