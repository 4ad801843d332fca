// The profiler's passes on tiles, in the order in which the pipeline runs them. Without a #prof.config on the module
// they do nothing.
#ifndef HOCKET_TRANSFORMS_PROF_PASSES_TD
#define HOCKET_TRANSFORMS_PROF_PASSES_TD

include "mlir/Pass/PassBase.td"

def RecordStages : Pass<"hocket-record-stages", "::mlir::ModuleOp"> {
  let summary = "Record stages of warp pipelines, partitions, their waits and the lives of warps";
  let description = [{
    With `stages` in the module's #prof.config, every stage, every partition of `hk.warp_specialize` and the kernel
    itself become scopes. With `waits`, every wait for an mbarrier or a named barrier inside a partition becomes the
    scope "wait", unless a scope whose name begins so holds it.

    ```mlir
    hk.stage_begin "load"           // hk.stage_begin "load"
    ..                              // prof.record begin "load" as stage
                                    // ..
                                    // prof.record end "load" as stage
    hk.stage_end                    // hk.stage_end
    ```
  }];
  let dependentDialects = ["::hocket::prof::ProfDialect"];
}

def NumberSites : Pass<"hocket-number-sites", "::mlir::ModuleOp"> {
  let summary = "Give every place that records a number, and list the places";
  let description = [{
    Checks that scopes end in the block where they begin, the inner ones first, and sets `site` of what records. Places of
    the same name, kind, line and scope around them share a number: a loop that is unrolled has one. The list is the
    module's `prof.sites`.

    ```mlir
    prof.record begin "load"        // prof.record begin "load" site 0
    prof.record mark "k" as mark    // prof.record mark "k" as mark site 1
    prof.record end "load"          // prof.record end "load" site 0
    ```
  }];
  let dependentDialects = ["::hocket::prof::ProfDialect"];
}

def AllocateRecords : Pass<"hocket-allocate-records", "::mlir::ModuleOp"> {
  let summary = "Give a kernel that records a buffer";
  let description = [{
    Decides whose records are kept, where, and how many; puts the one `prof.buffer_alloc` at the beginning of the kernel,
    with what begins and ends it, and says so in `prof.facts`. A kernel without records is left alone.

    ```mlir
    func.func @k() {                // func.func @k() {
      prof.record mark "a" as mark  //   %b = prof.buffer_alloc warps = [0] : !hk.memdesc<1x128xi32, #prof.records<device>>
      return                        //   prof.init %b
    }                               //   prof.record mark "a" as mark
                                    //   prof.finalize %b
                                    //   prof.buffer_dealloc %b
                                    //   return
    ```
  }];
  let dependentDialects = ["::hocket::prof::ProfDialect"];
}

#endif
