// Interfaces of operations. Passes use them instead of vendors' operations.
#ifndef HOCKET_DIALECT_HK_IR_HKOPINTERFACES_TD
#define HOCKET_DIALECT_HK_IR_HKOPINTERFACES_TD

include "mlir/IR/OpBase.td"

// Asynchronous accesses: Completion.h defines how they complete, AsyncCounter.h defines counters. Operations with several
// of the interfaces AsyncAccess, AsyncCommit and AsyncWait first wait, then start, then commit.

def HK_AsyncAccess : OpInterface<"AsyncAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Starts memory accesses that continue after the operation. Its memory effects give the accessed memory, and this
    interface the completion.
  }];
  let methods = [
    InterfaceMethod<"Returns how the accesses through `operand`, a handle or pointer, complete.",
                    "::hocket::hk::Completion", "getCompletionOf", (ins "::mlir::Value":$operand)>,
  ];
}

def HK_AsyncProxyAccess : OpInterface<"AsyncProxyAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Accesses shared and global memory through the async proxy. A lane's ordinary stores are ordered before the access
    only by an `hk.proxy_fence` of that lane. A pass inserts missing fences.
  }];
}

def HK_AsyncCommit : OpInterface<"AsyncCommit"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Commits the accesses that the warp has started on a counter since the last commit as a group, which may be empty.
  }];
  let methods = [
    InterfaceMethod<"Returns the counters on which it commits a group.", "::llvm::SmallVector<::hocket::hk::AsyncCounter, 1>",
                    "getCommittedCounters">,
  ];
}

def HK_AsyncWait : OpInterface<"AsyncWait"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Waits until at most the newest `outstanding` groups are pending on its counters. Orders accesses of the waiting warp;
    for those of other warps, the compiler inserts a barrier.
  }];
  let methods = [
    InterfaceMethod<"Returns the counters on which it waits.", "::llvm::SmallVector<::hocket::hk::AsyncCounter, 1>",
                    "getAwaitedCounters">,
    InterfaceMethod<"Returns the number of groups that may be pending.", "uint32_t", "getOutstanding">,
    InterfaceMethod<"Sets the number of groups that may be pending.", "void", "setOutstanding", (ins "uint32_t":$outstanding)>,
  ];
}

def HK_AsyncArrival : OpInterface<"AsyncArrival"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Makes the accesses that the warp has started on a counter so far arrive at a barrier in memory: they complete with
    a phase of the barrier, and need no wait on the counter.
  }];
  let methods = [
    InterfaceMethod<"Returns the counter of the accesses.", "::hocket::hk::AsyncCounter", "getArrivingCounter">,
    InterfaceMethod<"Returns the phase that includes them.", "::hocket::hk::BarrierPhase", "getArrivalPhase">,
  ];
}

def HK_MemDescView : OpInterface<"MemDescView"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A handle (its only result) to the memory of another handle, or to a part of it. The buffer is live while either is
    used. This interface is the only source of facts about views for passes.
  }];
  let methods = [
    InterfaceMethod<"Returns the handle that it is a view of.", "::mlir::Value", "getViewSource", (ins), [{}],
                    /*defaultImplementation=*/[{ return $_op.getSrc(); }]>,
    InterfaceMethod<"Returns the part of the source that it refers to.", "::hocket::hk::ViewedPart", "getViewedPart">,
  ];
}

def HK_RegisterAccess : OpInterface<"RegisterAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Moves a tile between registers and shared memory: each lane accesses the elements that its registers hold.
  }];
  let methods = [
    InterfaceMethod<"Returns the type of the tile in registers; null if it moves nothing.", "::mlir::RankedTensorType",
                    "getRegisters">,
  ];
}

def HK_UsesScratch : OpInterface<"UsesScratch"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    May pass values between warps through scratch memory, which AllocateMemory allocates like a buffer that is live
    during the operation (attribute `hk.offset` on it). The pass that inserts barriers relies on the following behavior:

    1. It first writes its scratch: a barrier must have ordered earlier accesses of that memory by other warps.
    2. It contains barriers of its own (shared scope) after the writes.
    3. It ends with reads of its scratch, with no barrier after them.
  }];
  let methods = [
    InterfaceMethod<"Returns the bytes of scratch that it needs; 0 for none. The module must have hk.target.", "int64_t",
                    "getScratchBytes">,
  ];
}

def HK_ConcurrentRegion : OpInterface<"ConcurrentRegion"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    An operation with regions that some warps of the block may execute while others execute other code, with no barrier
    between them: a stage of a warp pipeline, a partition of warps. Its shared memory buffers are live at all operations
    that other warps may execute meanwhile.
  }];
  let methods = [
    InterfaceMethod<[{Returns the first and the last operation of its block that other warps may execute
                      meanwhile. The operation itself is in this range.}],
                    "std::pair<::mlir::Operation *, ::mlir::Operation *>", "getConcurrentOps">,
  ];
}

def HK_SharedBarrierUse : OpInterface<"SharedBarrierUse"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Uses a barrier in shared memory (an mbarrier), which its memory effects identify. The pass that inserts barriers of
    the block orders it with other accesses as these methods require.
  }];
  let methods = [
    InterfaceMethod<[{True if one thread, always the same one, acts for all warps that run the operation: its own
                      accesses are in program order.}],
                    "bool", "isByOneThread">,
    InterfaceMethod<"True if other such uses of the barrier may be in progress in other threads.", "bool", "isConcurrent">,
    InterfaceMethod<[{True if it changes the condition that waits wait for: all threads then execute it before one of
                      them waits.}],
                    "bool", "precedesWaits">,
    InterfaceMethod<[{True if it signals to other warps that the warps that run it have reached it: it then follows
                      all their memory accesses and waits.}],
                    "bool", "signalsAll">,
    InterfaceMethod<[{True if each warp signals only its own accesses, so that a barrier of the block need not precede
                      it.}],
                    "bool", "isPerWarp", (ins), [{}], /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{Returns the phase that it waits for; nullopt if it does not wait.}],
                    "std::optional<::hocket::hk::BarrierPhase>", "getAwaitedPhase", (ins), [{}],
                    /*defaultImplementation=*/"return std::nullopt;">,
  ];
}

def HK_NamedBarrierUse : OpInterface<"NamedBarrierUse"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Arrives at a barrier of the block that partitions of warps share. The barrier counts arrivals of warps from anywhere
    in the program. Each warp arrives on its own, and its earlier accesses are visible to warps that wait there.
  }];
  let methods = [
    InterfaceMethod<"Returns the kernel's number of the barrier, from 0.", "uint32_t", "getBarrier">,
    InterfaceMethod<"Returns the number of warps that must arrive before waiting warps continue.", "uint32_t", "getNumWarps">,
    InterfaceMethod<"True if the warps also wait.", "bool", "waits">,
    InterfaceMethod<"Sets the number of the hardware barrier.", "void", "setNumber",
                    (ins "::std::optional<uint32_t>":$number)>,
  ];
}

def HK_KeptInLaneForm : OpInterface<"KeptInLaneForm"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Each warp runs the operation once, in tile form and in lane form: the lowering of tiles keeps it as it is.
  }];
}

def HK_Mma : OpInterface<"Mma"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    An MMA: occupies a matrix unit, while other units are free for other warps.
  }];
}

def HK_GlobalAccess : OpInterface<"GlobalAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A global memory access that can be vectorized, as far as addresses and mask allow.
  }];
  let methods = [
    InterfaceMethod<"Returns the addresses, the mask and the type of the access.", "::hocket::hk::GlobalAddresses", "getGlobalAddresses">,
  ];
}

def HK_AtomicAccess : OpInterface<"AtomicAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Combines each element with memory once, even if the layout replicates it. All lanes that hold the element receive the
    old value as the result.
  }];
}

def HK_WarpPartition : OpInterface<"WarpPartition"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Distributes different work to warps: each of its regions is run by some of them.
  }];
  let methods = [
    InterfaceMethod<"Returns the number of warps that run `region`, a region of this operation.", "int", "getNumWarpsIn",
                    (ins "::mlir::Region &":$region)>,
  ];
}

def HK_ElementRegion : OpInterface<"ElementRegion"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Its region computes single elements from scalars: no operation in it accesses memory, waits, or creates a tile, so
    that passes that search for such operations can skip the region.
  }];
}

def HK_CombineRegion : OpInterface<"CombineRegion"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Combines elements of n tensors pairwise by an associative function, which is its region. Lowerings inline the region
    for each combination; the number of combinations is unspecified, and so is their order unless the operation defines
    it.

    C1: the region takes 2n scalars (lhs..., rhs...) and ends with `hk.combine.return` of n, all of the element types. It
        is one block until its conditions and loops become branches, and may be several blocks afterwards.
  }];
  let methods = [
    InterfaceMethod<"Returns the tensors.", "::mlir::OperandRange", "getSrcs">,
    InterfaceMethod<"Returns the region of the function.", "::mlir::Region &", "getCombine">,
    InterfaceMethod<"True if all lanes and warps with a copy of a result combine in the same order.", "bool",
                    "combinesInOneOrder", (ins), [{}], /*defaultImplementation=*/"return false;">,
  ];
  let extraClassDeclaration = [{
    /// True if the function is a single commutative operation: the order of its two operands does not matter.
    bool isOneCommutativeOperation();
  }];
  let verifyWithRegions = 1;
  let verify = "return detail::verifyCombineRegion($_op);";
}

def HK_LayoutInferenceOp : OpInterface<"LayoutInferenceOp"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The layout of its operands determines that of its results, and vice versa: a view, a reduction. Undecided layouts
    infer undecided layouts. The rules are functions of dialect/hk/layouts/LayoutInference.h.
  }];
  let methods = [
    InterfaceMethod<[{Returns the layout of tensor results if operands have `operandLayout`, or a failure if there is
                      none, with the reason in `whyNot` if given.}],
                    "::llvm::FailureOr<::mlir::Attribute>", "inferResultLayout",
                    (ins "::mlir::Attribute":$operandLayout, "std::string *":$whyNot)>,
    InterfaceMethod<[{Returns a layout of operands with which results have `resultLayout`, or an equivalent one, or a
                      failure if there is none, with the reason in `whyNot` if given.}],
                    "::llvm::FailureOr<::mlir::Attribute>", "inferOperandLayout",
                    (ins "::mlir::Attribute":$resultLayout, "std::string *":$whyNot)>,
  ];
}

#endif
