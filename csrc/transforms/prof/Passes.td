// The profiler's passes on the hk dialect, in the order in which the pass pipeline runs them. The passes do nothing if
// the module has no #prof.config.
#ifndef HOCKET_TRANSFORMS_PROF_PASSES_TD
#define HOCKET_TRANSFORMS_PROF_PASSES_TD

include "mlir/Pass/PassBase.td"

def RecordStages : Pass<"hocket-record-stages", "::mlir::ModuleOp"> {
  let summary = "Record stages of warp pipelines, partitions, their waits and the lifetimes of warps";
  let description = [{
    With `stages` in the module's #prof.config, every stage, every partition of `hk.warp_specialize` and the kernel
    itself become scopes. With `waits`, every wait for an mbarrier or a named barrier outside of stages is enclosed in a
    scope with the name "wait", unless a scope whose name begins with "wait" already encloses the wait. If `waits` is
    auto, waits are recorded only in kernels that contain no scopes and tokens of the user.

    ```mlir
    hk.stage_begin "load"           // hk.stage_begin "load"
    ...                             // prof.record begin "load" as stage
                                    // ...
                                    // prof.record end "load" as stage
    hk.stage_end                    // hk.stage_end
    ```
  }];
  let dependentDialects = ["::hocket::prof::ProfDialect"];
}

def NumberSites : Pass<"hocket-number-sites", "::mlir::ModuleOp"> {
  let summary = "Number the program points that write records, and list these points";
  let description = [{
    Checks that each scope ends in the basic block in which it begins, and that scopes are nested. Sets the attribute
    `site` of operations that record. Operations with equal names, kinds, lines and enclosing scopes get the same
    number, e.g. the copies in an unrolled loop. The module's `prof.sites` lists all sites.

    ```mlir
    prof.record begin "outer"                      // prof.record begin "outer" site 0
    prof.record begin "inner" payload %k : i32     // prof.record begin "inner" payload %k : i32 site 1
    prof.record mark "k" as mark                   // prof.record mark "k" as mark site 2
    prof.record end "inner"                        // prof.record end "inner" site 1
    prof.record end "outer"                        // prof.record end "outer" site 0
    ```
  }];
  let dependentDialects = ["::hocket::prof::ProfDialect"];
}

def AllocateRecords : Pass<"hocket-allocate-records", "::mlir::ModuleOp"> {
  let summary = "Allocate the record buffer of a kernel";
  let description = [{
    Decides which warps record, in which memory, and how many records are kept. Inserts a `prof.buffer_alloc` at the
    beginning of the kernel, and operations that initialize, finalize and free the buffer. The attribute `prof.facts`
    describes the buffer. A kernel without records is unchanged.

    ```mlir
    func.func @records() {                    // {
      prof.record mark "a" as mark site 0     //   %b = prof.buffer_alloc warps = [0, 1, 2, 3]
      return                                  //   prof.init %b
    }                                         //   prof.record mark "a" as mark site 0
                                              //   prof.finalize %b
                                              //   prof.buffer_dealloc %b
                                              //   return
                                              // }
    ```
  }];
  let dependentDialects = ["::hocket::prof::ProfDialect"];
}

#endif
