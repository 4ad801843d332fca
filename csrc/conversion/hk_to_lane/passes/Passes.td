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
    %i = hk.arange 0 to 1024 : tensor<1024xi32, #b>
    %xs = hk.splat %x : !hk.ptr<f16> -> ...
    %p = hk.addptr %xs, %i : ...
    %v = hk.load %p : ...                // %v = hk.load %p {hk.access = #hk.access<dim = 0, width = 8>}
    ```
  }];
}

def OutlineWorkers : Pass<"hocket-outline-workers", "::mlir::ModuleOp"> {
  let summary = "Outline partitions of warps into functions";
  let description = [{
    Each worker of `hk.warp_specialize` becomes a function with an attribute that contains the numbers of the warps that
    run the function.

    ```mlir
    hk.warp_specialize -> i32 {                           // lane.start_workers [@kernel.small.0, @kernel.large.1](...)
      %s = arith.addi %n, %n : i32                        // %s = arith.addi %n, %n : i32
      hk.warp_yield %s : i32                              // lane.join_workers
    } workers {
      hk.worker "small"(%x, %n : !hk.ptr<i32>, i32) num_warps = 2 { ... }
      hk.worker "large"(%x : !hk.ptr<i32>) num_warps = 4 {
      ^bb0(%y: !hk.ptr<i32>):                             // func.func private @kernel.large.1(%y: !hk.ptr<i32>)
        hk.barrier                                        // ... {
      }                                                   //   hk.barrier
    }                                                     // }
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
    llvm.br ^loop(%a, %b, %c : f16, f16, f16, ...)   // %low = llvm.insertelement %a
                                                     // %pair = llvm.insertelement %b, %low
                                                     // llvm.br ^loop(%pair, %c : vector<2xf16>, f16, ...)
    ^loop(%x: f16, %y: f16, %z: f16, ...):           // ^loop(%p: vector<2xf16>, %z: f16, ...):
                                                     // %x = llvm.extractelement %p
                                                     // %y = llvm.extractelement %p
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
