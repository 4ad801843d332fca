// What all operations of the `lane` dialect share: the dialect, their class, and what their operands may be.
#ifndef HOCKET_DIALECT_LANE_LANEOPBASE_TD
#define HOCKET_DIALECT_LANE_LANEOPBASE_TD

include "dialect/hk/HkAttrs.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Lane_Dialect : Dialect {
  let name = "lane";
  let cppNamespace = "::hocket::lane";
  let summary = "What one lane does, between the layouts and the machine.";
  let description = [{
    LLVM IR, NVVM and ROCDL have no wide access under a predicate with cache hints. These operations stand for one until
    the very end: on a GPU they are expanded last (`lane_to_nvvm`, `lane_to_rocdl`); the emulator executes
    them directly and checks each access against the arrays that were passed. The same goes for arithmetic that LLVM
    leaves open where the language does not.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::hocket::hk::HkDialect"];
  let extraClassDeclaration = [{
    /// Unit attribute of rocdl.s.barrier: what other warps had released when they arrived is visible after it. The
    /// machine's LDS needs no instruction for that; the emulator must be told.
    static constexpr llvm::StringLiteral kAcquiresAttr = "lane.acquires";
    /// On a barrier that the kernel allocates: which one, for reports.
    static constexpr llvm::StringLiteral kNamedBarrierAttr = "lane.named_barrier";
    /// Integer attribute of a load: bits of the number of a thread in its block. Threads in whose numbers one is set make
    /// no use of the result, so that it is no race if memory changes before they read it.
    static constexpr llvm::StringLiteral kUnusedCopiesAttr = "lane.unused_copies";
    /// #hk.cache_policy of nvvm.cp.async.shared.global, which has no place for one.
    static constexpr llvm::StringLiteral kCachePolicyAttr = "lane.cache_policy";
  }];
}

class Lane_Op<string mnemonic, list<Trait> traits = []> : Op<Lane_Dialect, mnemonic, traits>;

def Lane_GlobalPtr : Type<CPred<[{
  ::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self) &&
  ::llvm::cast<::mlir::LLVM::LLVMPointerType>($_self).getAddressSpace() == 1}]>, "pointer to global memory (!llvm.ptr<1>)">;
// A scalar int, float or pointer, or a 1-D vector of ints or floats of at most 128 bits.
def Lane_Value : AnyTypeOf<[AnySignlessInteger, AnyFloat, LLVM_AnyPointer,
                            VectorOfAnyRankOf<[AnySignlessInteger, AnyFloat]>]>;
def Lane_SharedPtr : Type<CPred<[{
  ::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self) &&
  ::llvm::cast<::mlir::LLVM::LLVMPointerType>($_self).getAddressSpace() == 3}]>, "pointer to shared memory (!llvm.ptr<3>)">;

#endif
