// Interfaces of operations: what analyses ask instead of naming operations of a vendor.
#ifndef HOCKET_DIALECT_HK_HKOPINTERFACES_TD
#define HOCKET_DIALECT_HK_HKOPINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_AsyncCopy : OpInterface<"AsyncCopy"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A copy into shared memory that is finished only once `hk.async_wait_group` has waited for its group.
  }];
  let methods = [
    InterfaceMethod<"The tile of shared memory that is written.", "::mlir::OpOperand &", "getDstMutable">,
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
    Combines each element with memory once, also where the layout replicates it; its result, the old values, travels to
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

def HK_CombineRegion : OpInterface<"CombineRegion"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    Combines elements of n tensors pairwise by an associative and commutative function, which is its region. Whoever
    combines two elements inlines that region; in which order, and how often, the operation leaves open.

    C1: the region takes 2n scalars (lhs.., rhs..) and ends with `hk.combine.return` of n, all of the element types. It
        is one block until its conditions and loops become branches, and may be several then.
  }];
  let methods = [
    InterfaceMethod<"The tensors.", "::mlir::OperandRange", "getSrcs">,
    InterfaceMethod<"The function.", "::mlir::Region &", "getCombine">,
  ];
  let extraClassDeclaration = [{
    /// Whether the function is a single commutative operation: lanes that combine in different orders get the same.
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
