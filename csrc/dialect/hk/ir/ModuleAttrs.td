// Attributes in the lists that passes record on the module: allocations, workers, messages, synchronization.
#ifndef HOCKET_DIALECT_HK_IR_MODULEATTRS_TD
#define HOCKET_DIALECT_HK_IR_MODULEATTRS_TD

include "dialect/hk/ir/HkDialect.td"
include "mlir/IR/AttrTypeBase.td"

def HK_BufferAttr : AttrDef<Hk_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "an allocation in a memory space";
  let description = [{
    An element of `hk.buffers`, or of the list of another memory space. `name` is the name of the allocation in
    messages. Allocations that are never live together may overlap. The strings in `arrivals` and `copies` are for
    messages about mbarriers: the operations that arrive at the mbarriers of the buffer, and the operations that start
    copies which complete on these mbarriers.

    C1: `offset` and `bytes` are not negative.
    C2: `arrivals` and `copies` are arrays of strings; both are present, or neither is.

    ```mlir
    #hk.buffer<name = "`a_smem`", offset = 0, bytes = 4096>
    #hk.buffer<name = "`full`", offset = 4096, bytes = 8, arrivals = ["line 16"], copies = ["line 10 of worker `load`"]>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$offset, "int64_t":$bytes,
    OptionalParameter<"::mlir::ArrayAttr">:$arrivals, OptionalParameter<"::mlir::ArrayAttr">:$copies);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HK_WorkerAttr : AttrDef<Hk_Dialect, "Worker"> {
  let mnemonic = "worker";
  let summary = "the warps of a worker";
  let description = [{
    An element of `hk.workers`. The worker runs on `num_warps` consecutive warps of the block, beginning with warp
    `first_warp`. Workers of different `hk.warp_specialize` operations may run on the same warps.

    C1: `first_warp` is not negative, and `num_warps` is positive.

    ```mlir
    #hk.worker<name = "load", first_warp = 4, num_warps = 1>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, "int32_t":$first_warp, "int32_t":$num_warps);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HK_MessageSiteAttr : AttrDef<Hk_Dialect, "MessageSite"> {
  let mnemonic = "message_site";
  let summary = "a location of the kernel that sends messages to the host";
  let description = [{
    An element of `hk.messages`. Without `fails_at`, the site prints a line, and `text` is its printf format. With
    `fails_at`, the kernel fails at this location with the message `text`. With `shows_index`, the record of the failure
    contains the exact value of an index that has overflowed.

    C1: a site with `shows_index` has `fails_at`.

    ```mlir
    #hk.message_site<text = "[%d] x: %g">
    #hk.message_site<text = "device assertion failed: no", fails_at = loc("kernel.py":3:5)>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$text, OptionalParameter<"::mlir::LocationAttr">:$fails_at,
    DefaultValuedParameter<"bool", "false">:$shows_index);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HK_SyncSiteAttr : AttrDef<Hk_Dialect, "SyncSite"> {
  let mnemonic = "sync_site";
  let summary = "a wait, fence or barrier, with the operations that it orders";
  let description = [{
    An element of `hk.synchronization`, for `kernel.sync_report()`. `what` is the description of the operation, such as
    "wait for wgmmas that leaves 1 group". `at` is its location, or the location of the next operation if the compiler
    inserted it. `written` is true if the user wrote the operation. `earlier` and `later` are the descriptions of the
    two operations that it orders, such as "asynchronous MMA", if they are known. `why` is the consequence of leaving
    the operation out or weakening it.

    C1: all of `earlier`, `earlier_at`, `later` and `later_at` are present, or none is.

    ```mlir
    #hk.sync_site<what = "barrier", at = loc("kernel.py":7:5), written = true, why = "it is written in the kernel">
    ```
  }];
  let parameters = (ins StringRefParameter<>:$what, "::mlir::LocationAttr":$at,
    DefaultValuedParameter<"bool", "false">:$written, StringRefParameter<"", [{""}]>:$earlier,
    OptionalParameter<"::mlir::LocationAttr">:$earlier_at, StringRefParameter<"", [{""}]>:$later,
    OptionalParameter<"::mlir::LocationAttr">:$later_at, StringRefParameter<>:$why);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif
