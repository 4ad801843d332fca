// Interfaces of operations: what analyses ask instead of naming operations of a vendor.
#ifndef HOCKET_DIALECT_HK_HKOPINTERFACES_TD
#define HOCKET_DIALECT_HK_HKOPINTERFACES_TD

include "mlir/IR/OpBase.td"

// Asynchronous accesses: AsyncCounter.h says what a counter is. Operations with several of these three interfaces first
// wait, then start, then commit.

def HK_AsyncAccess : OpInterface<"AsyncAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Starts accesses of memory that continue after the operation. Its memory effects say what it accesses, and this
    interface until when.
  }];
  let methods = [
    InterfaceMethod<[{The counter whose waits finish what the operation does through `operand`, a handle or pointer;
                      none if that is done with the operation.}],
                    "std::optional<::hocket::hk::AsyncCounter>", "getCounterOf", (ins "::mlir::Value":$operand)>,
  ];
}

def HK_AsyncProxyAccess : OpInterface<"AsyncProxyAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    What it accesses of shared and global memory, it accesses through a proxy of its own. A lane's ordinary stores are
    ordered before the access only by an `hk.proxy_fence` of that lane. A pass inserts those that are missing.
  }];
}

def HK_AsyncCommit : OpInterface<"AsyncCommit"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Makes one group of what the warp has started on a counter since the last commit; a group may be empty.
  }];
  let methods = [
    InterfaceMethod<"The counters on which it makes a group.", "::llvm::SmallVector<::hocket::hk::AsyncCounter, 1>",
                    "getCommittedCounters">,
  ];
}

def HK_AsyncWait : OpInterface<"AsyncWait"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Waits until at most `outstanding` groups, the newest, are unfinished on its counters. Orders what the waiting warp
    has started; for what others have, the compiler inserts a barrier.
  }];
  let methods = [
    InterfaceMethod<"The counters on which it waits.", "::llvm::SmallVector<::hocket::hk::AsyncCounter, 1>",
                    "getAwaitedCounters">,
    InterfaceMethod<"The groups that may be unfinished.", "uint32_t", "getOutstanding">,
    InterfaceMethod<"Changes that number.", "void", "setOutstanding", (ins "uint32_t":$outstanding)>,
  ];
}

def HK_MemDescView : OpInterface<"MemDescView"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A handle (its only result) to memory that another handle shows, or to a part of it. The buffer stays alive while
    either is used. What analyses know of a view, they know from here.
  }];
  let methods = [
    InterfaceMethod<"The handle of which it shows a part.", "::mlir::Value", "getViewSource", (ins), [{}],
                    /*defaultImplementation=*/[{ return $_op.getSrc(); }]>,
    InterfaceMethod<"Which part.", "::hocket::hk::ViewedPart", "getViewedPart">,
  ];
}

def HK_RegisterAccess : OpInterface<"RegisterAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Moves a tile between registers and shared memory: each lane accesses the elements that it holds, or will hold.
  }];
  let methods = [
    InterfaceMethod<"The type of the tile in registers; null if it moves nothing.", "::mlir::RankedTensorType",
                    "getRegisters">,
  ];
}

def HK_UsesScratch : OpInterface<"UsesScratch"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    May pass values between warps through scratch memory, which AllocateShared places like a buffer that lives during
    the operation (attribute `hk.offset` on it). Towards its surroundings it then behaves as follows; the pass that
    inserts barriers relies on it:

    1. It first writes its scratch: earlier accesses of that memory by other warps must have been waited for.
    2. It contains barriers of its own (shared scope) after the writes.
    3. It ends with reads of its scratch that nothing has waited for.
  }];
  let methods = [
    InterfaceMethod<"Bytes of scratch that it needs; 0 for none. The module names the target (hk.target).", "int64_t",
                    "getScratchBytes">,
  ];
}

def HK_ConcurrentRegion : OpInterface<"ConcurrentRegion"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    An operation with regions in which some warps of the block may be while others are elsewhere, with no barrier to
    keep them together: a stage of a warp pipeline, a partition of warps. What it uses of shared memory is in use in
    all places where those others may be.
  }];
  let methods = [
    InterfaceMethod<[{The first and the last operation of its block in which other warps may be meanwhile; it lies
                      between the two, and may be both.}],
                    "std::pair<::mlir::Operation *, ::mlir::Operation *>", "getConcurrentOps">,
  ];
}

def HK_SharedBarrierUse : OpInterface<"SharedBarrierUse"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Uses a barrier that lies in shared memory (an mbarrier); its memory effects say which one. The pass that inserts
    barriers of the block keeps it apart from other accesses as its answers say.
  }];
  let methods = [
    InterfaceMethod<[{One thread acts for all warps that run the operation, always the same one: what it does itself is
                      in order.}],
                    "bool", "isByOneThread">,
    InterfaceMethod<"May other such uses of the barrier be in progress in other threads?", "bool", "isConcurrent">,
    InterfaceMethod<"Does it change for what waits wait? Then all threads do so before one of them waits.",
                    "bool", "precedesWaits">,
    InterfaceMethod<[{Does it tell others that the warps that run it have come this far? Then it follows all that they
                      did to memory, and all their waits.}],
                    "bool", "announcesAll">,
    InterfaceMethod<[{Does each warp announce what it did itself? Then no barrier of the block need come before.}],
                    "bool", "isPerWarp", (ins), [{}], /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{The counter from which it takes over what is in flight: the barrier tells when that is done, and no
                      wait on the counter need do so.}],
                    "std::optional<::hocket::hk::AsyncCounter>", "getTrackedCounter", (ins), [{}],
                    /*defaultImplementation=*/"return std::nullopt;">,
  ];
}

def HK_NamedBarrierUse : OpInterface<"NamedBarrierUse"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Arrives at a barrier of the block that partitions of warps share. It counts warps, wherever in the program they are.
    Each warp arrives for itself, and what it has done before is visible to those who have waited there.
  }];
  let methods = [
    InterfaceMethod<"Which of those that the kernel allocates, from 0.", "uint32_t", "getBarrier">,
    InterfaceMethod<"How many warps arrive before those who wait go on.", "uint32_t", "getNumWarps">,
    InterfaceMethod<"Do the warps wait, too?", "bool", "waits">,
    InterfaceMethod<"Says which barrier of the hardware it is.", "void", "setNumber",
                    (ins "::std::optional<uint32_t>":$number)>,
  ];
}

def HK_MatrixProduct : OpInterface<"MatrixProduct"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Keeps a matrix unit busy, while other units are free for other warps.
  }];
}

def HK_GlobalAccess : OpInterface<"GlobalAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    An access of global memory that may move neighbouring elements together, as wide as addresses and mask allow.
  }];
  let methods = [
    InterfaceMethod<"Where it accesses what.", "::hocket::hk::GlobalAddresses", "getGlobalAddresses">,
  ];
}

def HK_AtomicAccess : OpInterface<"AtomicAccess"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Combines each element with memory once, even where the layout replicates it; its result, the old values, travels to
    all lanes that hold the element.
  }];
}

def HK_WarpPartition : OpInterface<"WarpPartition"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Gives the warps around it different work: each of its regions is run by some of them.
  }];
  let methods = [
    InterfaceMethod<"How many warps run `region`, which is one of this operation.", "int", "getNumWarpsIn",
                    (ins "::mlir::Region &":$region)>,
  ];
}

def HK_ElementRegion : OpInterface<"ElementRegion"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Its region says what happens to single elements, on scalars alone: nothing in it accesses memory, waits, or makes a
    tile. What looks for such things need not look inside.
  }];
}

def HK_CombineRegion : OpInterface<"CombineRegion"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Combines elements of n tensors pairwise by an associative function, which is its region. Whoever combines two
    elements inlines that region; how often, the operation leaves open, and where it says so in which order.

    C1: the region takes 2n scalars (lhs.., rhs..) and ends with `hk.combine.return` of n, all of the element types. It
        is one block until its conditions and loops become branches, and may be several then.
  }];
  let methods = [
    InterfaceMethod<"The tensors.", "::mlir::OperandRange", "getSrcs">,
    InterfaceMethod<"The function.", "::mlir::Region &", "getCombine">,
    InterfaceMethod<"Do all lanes and warps that get a result get it in one order of combinations?", "bool",
                    "combinesInOneOrder", (ins), [{}], /*defaultImplementation=*/"return false;">,
  ];
  let extraClassDeclaration = [{
    /// Whether the function is a single commutative operation: lanes that combine in different orders get one result.
    bool isOneCommutativeOperation();
  }];
  let verifyWithRegions = 1;
  let verify = "return detail::verifyCombineRegion($_op);";
}

def HK_LayoutInferenceOp : OpInterface<"LayoutInferenceOp"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The layout of its operands decides that of its results, and the other way round: a view, a reduction. What is
    inferred from an undecided layout is undecided. The rules are functions of dialect/hk/LayoutInference.h.
  }];
  let methods = [
    InterfaceMethod<[{The layout of tensor results where operands have `operandLayout`. A failure where there is none;
                      `whyNot`, where given, says why.}],
                    "::llvm::FailureOr<::mlir::Attribute>", "inferResultLayout",
                    (ins "::mlir::Attribute":$operandLayout, "std::string *":$whyNot)>,
    InterfaceMethod<[{A layout of operands with which results have `resultLayout`, or an equivalent one. A failure where
                      there is none; `whyNot`, where given, says why.}],
                    "::llvm::FailureOr<::mlir::Attribute>", "inferOperandLayout",
                    (ins "::mlir::Attribute":$resultLayout, "std::string *":$whyNot)>,
  ];
}

#endif
