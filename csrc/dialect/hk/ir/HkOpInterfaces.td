// Interfaces of operations of the `hk` dialect and of the vendor dialects. Passes query these interfaces and do not
// depend on vendors' operations.
#ifndef HOCKET_DIALECT_HK_IR_HKOPINTERFACES_TD
#define HOCKET_DIALECT_HK_IR_HKOPINTERFACES_TD

include "mlir/IR/OpBase.td"

// Completion.h defines how asynchronous accesses complete, and AsyncCounter.h defines their counters. An operation with
// several of the interfaces AsyncAccess, AsyncCommit and AsyncWait first waits, then starts its accesses, then commits.

def HK_AsyncAccess : OpInterface<"AsyncAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation starts memory accesses that continue after it. The operation's memory effects give the accessed
    memory; this interface gives the way in which the accesses complete.
  }];
  let methods = [
    InterfaceMethod<"Returns how the accesses through `operand`, a handle or pointer, complete.",
                    "::hocket::hk::Completion", "getCompletionOf", (ins "::mlir::Value":$operand)>,
  ];
}

def HK_AsyncProxyAccess : OpInterface<"AsyncProxyAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation accesses shared and global memory through the async proxy. A lane's ordinary stores are ordered before
    this access only by an `hk.proxy_fence` of the same lane. A pass inserts missing fences.
  }];
}

def HK_AsyncCommit : OpInterface<"AsyncCommit"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation commits the accesses that the warp has started on a counter since its last commit. The committed
    accesses form a group, which may be empty.
  }];
  let methods = [
    InterfaceMethod<"Returns the counters of the commit.", "::llvm::SmallVector<::hocket::hk::AsyncCounter, 1>",
                    "getCommittedCounters">,
  ];
}

def HK_AsyncWait : OpInterface<"AsyncWait"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation waits until at most the newest `outstanding` groups are pending on its counters. The wait orders only
    accesses of the waiting warp; for accesses of other warps, the compiler inserts a barrier.
  }];
  let methods = [
    InterfaceMethod<"Returns the counters of the wait.", "::llvm::SmallVector<::hocket::hk::AsyncCounter, 1>",
                    "getAwaitedCounters">,
    InterfaceMethod<"Returns the number of groups that may be pending.", "uint32_t", "getOutstanding">,
    InterfaceMethod<"Sets the number of groups that may be pending.", "void", "setOutstanding", (ins "uint32_t":$outstanding)>,
    InterfaceMethod<[{True if the compiler has inserted the wait to make an operation synchronous. MinimizeWaits may move
                     such a wait.}],
                    "bool", "getImplied">,
    InterfaceMethod<"Marks the wait as inserted by the compiler, or as written by the user.", "void", "setImplied",
                    (ins "bool":$implied)>,
  ];
}

def HK_AsyncArrival : OpInterface<"AsyncArrival"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation makes the accesses that the warp has started on a counter so far arrive at a barrier in memory: the
    accesses complete with a phase of the barrier, and need no wait on the counter.
  }];
  let methods = [
    InterfaceMethod<"Returns the counter of the accesses.", "::hocket::hk::AsyncCounter", "getArrivingCounter">,
    InterfaceMethod<"Returns the phase with which the accesses complete.", "::hocket::hk::BarrierPhase",
                    "getArrivalPhase">,
  ];
}

def HK_MemDescView : OpInterface<"MemDescView"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The only result of the operation is a handle to the memory of another handle, or to a part of this memory. The
    buffer is live while any of its handles is used. Passes get all facts about views from this interface.
  }];
  let methods = [
    InterfaceMethod<"Returns the handle of which this is a view.", "::mlir::Value", "getViewSource", (ins), [{}],
                    /*defaultImplementation=*/[{ return $_op.getSrc(); }]>,
    InterfaceMethod<"Returns the part of the source that the view shows.", "::hocket::hk::ViewedPart", "getViewedPart">,
  ];
}

def HK_RegisterAccess : OpInterface<"RegisterAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation loads or stores a tile in shared memory: each lane accesses the elements that its registers hold.
  }];
  let methods = [
    InterfaceMethod<"Returns the type of the tile in registers; null if there is none.", "::mlir::RankedTensorType",
                    "getRegisters">,
  ];
}

def HK_MemoryOwner : OpInterface<"MemoryOwner"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation may own memory of the block: a buffer or scratch memory. Its optional attribute `offset`, an
    HK_MemoryOffset, is the byte offset of that memory in its memory space. AllocateMemory sets the offset.
  }];
  let methods = [
    InterfaceMethod<"Returns the offset; null if the operation owns no memory, or before AllocateMemory.",
                    "::mlir::IntegerAttr", "getOffsetAttr">,
    InterfaceMethod<"Sets the offset, an i32.", "void", "setOffsetAttr", (ins "::mlir::IntegerAttr":$offset)>,
  ];
}

def HK_UsesScratch : OpInterface<"UsesScratch"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation may pass values between warps through scratch memory. AllocateMemory allocates scratch memory like a
    buffer that is live during the operation. The pass that inserts barriers relies on the following behavior:

    1. The operation first writes its scratch memory. A barrier before the operation must order earlier accesses of that
       memory by other warps.
    2. After the writes, the operation executes barriers of its own, which order accesses of shared memory.
    3. The operation ends with reads of its scratch memory, without a barrier after the reads.
  }];
  let methods = [
    InterfaceMethod<"Returns the needed bytes of scratch memory, or 0. The module must have hk.target.", "int64_t",
                    "getScratchBytes">,
  ];
  let verify = [{
    static_assert(ConcreteOp::template hasTrait<::hocket::hk::MemoryOwner::Trait>(), "scratch memory needs an owner");
    return ::mlir::success();
  }];
}

def HK_ConcurrentRegion : OpInterface<"ConcurrentRegion"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation has regions that some warps of the block may execute while other warps execute other code, without a
    barrier in between. Examples are a stage of a warp pipeline, and an operation with partitions of warps. Shared
    memory buffers that the regions use are live at all operations that other warps may execute at the same time.
  }];
  let methods = [
    InterfaceMethod<[{Returns the first and the last operation of the IR block that other warps may execute at the
                     same time. The range contains this operation.}],
                    "std::pair<::mlir::Operation *, ::mlir::Operation *>", "getConcurrentOps">,
  ];
}

def HK_SharedBarrierUse : OpInterface<"SharedBarrierUse"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation uses a barrier in shared memory (an mbarrier), which the operation's memory effects identify. The pass
    that inserts barriers of the block orders the operation and other accesses as these methods require.
  }];
  let methods = [
    InterfaceMethod<[{True if one thread, always the same one, executes the operation for all warps. Accesses by this
                     thread are in program order.}],
                    "bool", "isByOneThread">,
    InterfaceMethod<"True if other threads may use the barrier at the same time.", "bool", "isConcurrent">,
    InterfaceMethod<[{True if the operation changes the condition that a wait at the barrier waits for. All threads must
                     execute the operation before any thread waits.}],
                    "bool", "precedesWaits">,
    InterfaceMethod<[{True if the operation signals to other warps that its own warps have reached the operation. The
                     operation must then follow all earlier memory accesses and waits of its own warps.}],
                    "bool", "signalsAll">,
    InterfaceMethod<[{True if each warp signals only its own accesses, so that no barrier of the block is needed before
                     the operation.}],
                    "bool", "isPerWarp", (ins), [{}], /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{Returns the phase of the barrier for which the operation waits; nullopt if it does not wait.}],
                    "std::optional<::hocket::hk::BarrierPhase>", "getAwaitedPhase", (ins), [{}],
                    /*defaultImplementation=*/"return std::nullopt;">,
  ];
}

def HK_NamedBarrierUse : OpInterface<"NamedBarrierUse"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation arrives at a barrier of the block that partitions of warps share. The barrier counts arrivals of warps
    at any program point. Each warp arrives on its own. A warp's accesses before its arrival are visible to warps that
    wait at the barrier.
  }];
  let methods = [
    InterfaceMethod<"Returns the number that the kernel gave the barrier, from 0.", "uint32_t", "getBarrier">,
    InterfaceMethod<"Returns the number of warps that must arrive before waiting warps continue.", "uint32_t", "getNumWarps">,
    InterfaceMethod<"True if the warps also wait.", "bool", "waits">,
    InterfaceMethod<"Sets the number of the hardware barrier.", "void", "setNumber",
                    (ins "::std::optional<uint32_t>":$number)>,
  ];
}

def HK_KeptInLaneForm : OpInterface<"KeptInLaneForm"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Each warp executes the operation once, both in tile IR and in lane form. The lowering of tiles keeps the operation
    unchanged.
  }];
}

def HK_Mma : OpInterface<"Mma"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation is an MMA: it occupies a matrix unit, while the other units are free for other warps.
  }];
}

def HK_GlobalAccess : OpInterface<"GlobalAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation accesses global memory. The lowering vectorizes the access as far as addresses and mask allow.
  }];
  let methods = [
    InterfaceMethod<"Returns the addresses, the mask and the type of the access.", "::hocket::hk::GlobalAddresses", "getGlobalAddresses">,
  ];
}

def HK_AtomicAccess : OpInterface<"AtomicAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation combines each element with memory once, even if the layout replicates the element. All lanes that hold
    the element receive the old value as the result.
  }];
}

def HK_WarpPartition : OpInterface<"WarpPartition"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation distributes different work to warps: each of its regions is run by some of the warps.
  }];
  let methods = [
    InterfaceMethod<"Returns the number of warps that run `region`, a region of this operation.", "int", "getNumWarpsIn",
                    (ins "::mlir::Region &":$region)>,
  ];
}

def HK_ElementRegion : OpInterface<"ElementRegion"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation's region computes single elements from scalars. No operation in the region accesses memory, waits, or
    creates a tile, so passes that search for such operations can skip the region.
  }];
}

def HK_CombineRegion : OpInterface<"CombineRegion"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The operation combines elements of n tensors pairwise by an associative function, which is its region. Lowerings
    inline the region for each combination. The number of combinations is unspecified. Their order is unspecified, too,
    unless the operation defines the order.

    C1: the region takes 2n scalars (lhs..., rhs...) and ends with `hk.combine.return` of n, all of the element types.
        The region is one IR block until its scf operations become branches, and may be several IR blocks afterwards.
  }];
  let methods = [
    InterfaceMethod<"Returns the tensors.", "::mlir::OperandRange", "getSrcs">,
    InterfaceMethod<"Returns the region of the function.", "::mlir::Region &", "getCombine">,
    InterfaceMethod<"True if all lanes and warps with a copy of a result combine in the same order.", "bool",
                    "combinesInOneOrder", (ins), [{}], /*defaultImplementation=*/"return false;">,
  ];
  let extraClassDeclaration = [{
    /// True if the combining function is a single commutative operation: the order of its two operands does not matter.
    bool isOneCommutativeOperation();
  }];
  let verifyWithRegions = 1;
  let verify = "return detail::verifyCombineRegion($_op);";
}

def HK_LayoutInferenceOp : OpInterface<"LayoutInferenceOp"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The layout of the operation's operands determines the layout of its results, and vice versa. Examples are views and
    reductions. From an undecided layout, an undecided layout is inferred. The rules are functions of
    dialect/hk/layouts/LayoutInference.h.
  }];
  let methods = [
    InterfaceMethod<[{Returns the layout that tensor results have if operands have `operandLayout`. If there is no such
                     layout, fails and writes the reason to `whyNot`, unless that is null.}],
                    "::llvm::FailureOr<::mlir::Attribute>", "inferResultLayout",
                    (ins "::mlir::Attribute":$operandLayout, "std::string *":$whyNot)>,
    InterfaceMethod<[{Returns a layout of the operands with which results have `resultLayout` or an equivalent layout.
                     If there is none, fails and writes the reason to `whyNot`, unless that is null.}],
                    "::llvm::FailureOr<::mlir::Attribute>", "inferOperandLayout",
                    (ins "::mlir::Attribute":$resultLayout, "std::string *":$whyNot)>,
  ];
}

#endif
