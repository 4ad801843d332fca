// The passes of conversion/hk_to_lane, in the order in which the pass pipeline runs them. ConvertHkToLane, whose
// constructor has the lowering of a vendor as a parameter, is in ConvertHkToLane.td.
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_PASSES_TD
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseAccesses : Pass<"hocket-choose-accesses", "::mlir::ModuleOp"> {
  let summary = "Choose the vector width of each access of global memory";
  let description = [{
    Sets the attribute `hk.access` on each access in which one lane can access several elements at once, because
    addresses are consecutive and aligned, and the mask is the same. The attribute holds the dimension of the tensor
    along which the elements are adjacent, and their maximum number. An access without the attribute accesses one
    element at a time.

    ```mlir
    %p = hk.addptr %base, %range             // hk.load %p {hk.access = {dim = 0 : i32, width = 4 : i32}}
    hk.load %p : tensor<1024x!hk.ptr<f32>>
    ```
  }];
}

def OutlineWorkers : Pass<"hocket-outline-workers", "::mlir::ModuleOp"> {
  let summary = "Outline partitions of warps into functions";
  let description = [{
    Each worker of `hk.warp_specialize` becomes a function with an attribute that contains the numbers of the warps that
    run the function.

    ```mlir
    hk.warp_specialize {                      // lane.start_workers [@kernel.copy.0] (%src : !hk.ptr<f32>) ...
      ...                                     // ...
    } workers {                               // lane.join_workers
      hk.worker "copy"(%src : !hk.ptr<f32>)
          num_warps = 4 {                     // func.func private @kernel.copy.0(%s: !hk.ptr<f32>)
        ^bb0(%s: !hk.ptr<f32>): ...           //   attributes {hk.partition = #hk.partition<first_warp = 4, ...>} {
      }                                       //   ...
    }                                         // }
    ```
  }];
  let dependentDialects = ["::hocket::lane::LaneDialect"];
}

def ConvertLoopsToBranches : Pass<"hocket-convert-loops-to-branches", "::mlir::ModuleOp"> {
  let summary = "Convert structured loops and conditions to blocks and branches";
  let description = [{
    After the pass, a tensor that a loop carries is an ordinary block argument.

    ```mlir
    %s = scf.for ... iter_args(%a = %x) -> ... {   //   cf.br ^loop(..., %x)
      scf.yield %b                                 // ^loop(%i, %a):  cf.cond_br %more, ^body, ^end
    }                                              // ^body:  cf.br ^loop(..., %b)
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

def EraseUnused : Pass<"hocket-erase-unused", "::mlir::ModuleOp"> {
  let summary = "Erase operations without side effects whose results are unused";
  let description = [{
    The conversion emits one address and one mask for each register, but a vector access uses only those of its first
    register. Without this pass, LLVM would have to erase the unused addresses and masks, and the emulator would compute
    them.

    ```mlir
    %q = llvm.getelementptr %p[%i] : ...     // erased
    ```
  }];
}

def PackCarried : Pass<"hocket-pack-carried", "::mlir::ModuleOp"> {
  let summary = "Pack 16-bit block arguments in pairs";
  let description = [{
    Two 16-bit block arguments become one argument of a vector type, because a GPU register holds two 16-bit numbers.
    The pass does not run for the emulator.

    ```mlir
    llvm.br ^loop(%a, %b : f16, f16)      // %v = llvm.insertelement ...
    ^loop(%x: f16, %y: f16):              // llvm.br ^loop(%v : vector<2xf16>)
                                          // ^loop(%p: vector<2xf16>):  %x = llvm.extractelement %p[%0] ...
    ```
  }];
}

def CheckIndices : Pass<"hocket-check-indices", "::mlir::ModuleOp"> {
  let summary = "Assert that indices of addresses have not overflowed 32 bits";
  let description = [{
    Applies to modules with `hk.checks_indices`. An assertion fails only if an overflow affects the address of an
    executed access.

    ```mlir
    %i = llvm.mul %row, %stride : i32                // %w = llvm.mul %wide_row, %wide_stride : i64
    %q = llvm.getelementptr %p[%i] : ...             // %fits = sext %i == %w, or not %mask
    %v = lane.load %q, pred %mask : ...              // lane.assert %fits, "an index overflows 32 bits" index %w
    ```
  }];
  let dependentDialects = ["::hocket::lane::LaneDialect"];
}

#endif
