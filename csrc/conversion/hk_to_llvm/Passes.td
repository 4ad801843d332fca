// The passes of conversion/hk_to_llvm, in the order in which the pipeline runs them. ConvertHkToLlvm, which needs to be
// told how to lower for a vendor, is declared in ConvertHkToLlvm.h.
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_PASSES_TD
#define HOCKET_CONVERSION_HK_TO_LLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseAccesses : Pass<"hocket-choose-accesses", "::mlir::ModuleOp"> {
  let summary = "Choose how many elements each access of global memory moves at once";
  let description = [{
    An access whose addresses are consecutive and aligned, under one predicate, gets `hk.access`: along which dimension
    of the tensor one lane may access several elements at once, and how many at most. One without the attribute moves
    one element at a time.

    ```mlir
    %p = hk.addptr %base, %range             // hk.load %p {hk.access = {dim = 0 : i32, width = 4 : i32}}
    hk.load %p : tensor<1024x!hk.ptr<f32>>
    ```
  }];
}

def OutlineWorkers : Pass<"hocket-outline-workers", "::mlir::ModuleOp"> {
  let summary = "Turn partitions of warps into functions";
  let description = [{
    Each worker of `hk.warp_specialize` becomes a function that says which warps run it.

    ```mlir
    hk.warp_specialize {                      // lane.start_workers [@kernel.copy.0] (%src : !hk.ptr<f32>) ..
      ..                                      // ..
    } workers {                               // lane.join_workers
      hk.worker "copy"(%src : !hk.ptr<f32>)
          num_warps = 4 { ^bb0(%s: ..): .. }  // func.func private @kernel.copy.0(%s: !hk.ptr<f32>)
    }                                         //   attributes {hk.partition = #hk.partition<first_warp = 4, ..>} { .. }
    ```
  }];
  let dependentDialects = ["::hocket::lane::LaneDialect"];
}

def ConvertLoopsToBranches : Pass<"hocket-convert-loops-to-branches", "::mlir::ModuleOp"> {
  let summary = "Turn structured loops and conditions into blocks and branches";
  let description = [{
    Afterwards a tensor that a loop carries is a block argument like any other.

    ```mlir
    %s = scf.for .. iter_args(%a = %x) -> .. {     //   cf.br ^loop(.., %x)
      scf.yield %b                                 // ^loop(%i, %a):  cf.cond_br %more, ^body, ^end
    }                                              // ^body:  cf.br ^loop(.., %b)
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

def EraseUnused : Pass<"hocket-erase-unused", "::mlir::ModuleOp"> {
  let summary = "Erase operations without side effects whose results are unused";
  let description = [{
    The conversion makes one address and one mask per register; a vector access uses those of its first register only.
    What goes unused here would otherwise be exported, optimised away by LLVM, or emulated.

    ```mlir
    %q = llvm.getelementptr %p[%i] : ..      // nothing
    ```
  }];
}

def PackCarried : Pass<"hocket-pack-carried", "::mlir::ModuleOp"> {
  let summary = "Let blocks take numbers of 16 bits in pairs";
  let description = [{
    A register holds two. Not for the emulator, where nothing does.

    ```mlir
    llvm.br ^loop(%a, %b : f16, f16)      // %v = llvm.insertelement ..
    ^loop(%x: f16, %y: f16):              // llvm.br ^loop(%v : vector<2xf16>)
                                          // ^loop(%p: vector<2xf16>):  %x = llvm.extractelement %p[%0] ..
    ```
  }];
}

def CheckIndices : Pass<"hocket-check-indices", "::mlir::ModuleOp"> {
  let summary = "Assert that indices of addresses have not overflowed 32 bits";
  let description = [{
    Of modules with `hk.checks_indices`. Only overflow that reaches the address of an access that is made counts.

    ```mlir
    %i = llvm.mul %row, %stride : i32                // %w = llvm.mul %wide_row, %wide_stride : i64
    %q = llvm.getelementptr %p[%i] : ..              // %fits = sext %i == %w, or not %mask
    %v = lane.load %q, pred %mask : ..               // lane.assert %fits, "an index overflows 32 bits" index %w
    ```
  }];
  let dependentDialects = ["::hocket::lane::LaneDialect"];
}

#endif
