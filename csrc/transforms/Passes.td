// Passes inside the hk dialect, in the order in which the pipeline runs them.
#ifndef HOCKET_TRANSFORMS_PASSES_TD
#define HOCKET_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AllocateShared : Pass<"hocket-allocate-shared", "::mlir::ModuleOp"> {
  let summary = "Place buffers and scratch space in shared memory";
  let description = [{
    Gives every `hk.local_alloc`, and every operation that moves data through scratch memory, a byte offset
    (`hk.offset`), and the module its total (`hk.shared_bytes`). Pieces that are never live together may overlap.

    ```mlir
    %a = hk.local_alloc %x : (..) -> !hk.memdesc<64xf32, #shared>     // {hk.offset = 0 : i32}
    %y = hk.local_load %a : ..
    %b = hk.local_alloc %y : (..) -> !hk.memdesc<64xf32, #shared>     // {hk.offset = 0 : i32}: a is dead
    ```
  }];
}

def InsertBarriers : Pass<"hocket-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "Insert the barriers that hazards in shared memory need";
  let description = [{
    Inserts `hk.barrier local` between accesses of shared memory that different lanes may do to the same bytes, unless
    a barrier of the user, of scratch memory or of an earlier hazard is already in between. Needs the offsets of
    `hocket-allocate-shared`.

    ```mlir
    hk.local_store %x, %a : ..
    hk.barrier local            // inserted
    %y = hk.local_load %a : ..
    ```
  }];
}

#endif
