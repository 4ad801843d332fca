// Base of the `lane` dialect: the dialect, its operation class, and the constraints on operands.
#ifndef HOCKET_DIALECT_LANE_LANEOPBASE_TD
#define HOCKET_DIALECT_LANE_LANEOPBASE_TD

include "dialect/hk/ir/HkAttrs.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Lane_Dialect : Dialect {
  let name = "lane";
  let cppNamespace = "::hocket::lane";
  let summary = "Operations of a single lane that LLVM IR, NVVM and ROCDL do not have.";
  let description = [{
    LLVM IR, NVVM and ROCDL have no predicated wide access with cache hints. Operations of this dialect represent such
    accesses. For GPUs, the last passes (`lane_to_nvvm`, `lane_to_rocdl`) expand the operations. The emulator executes
    the operations directly, and checks that each access is within an array that was passed to the kernel. The dialect
    also has arithmetic whose results are defined for all inputs, where the results of LLVM's operations are undefined
    for some inputs.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::hocket::hk::HkDialect"];
  let hasOperationAttrVerify = 1;
}

class Lane_Op<string mnemonic, list<Trait> traits = []> : Op<Lane_Dialect, mnemonic, traits>;

def Lane_GlobalPtr : Type<CPred<[{
  ::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self) &&
  ::llvm::cast<::mlir::LLVM::LLVMPointerType>($_self).getAddressSpace() == ::hocket::kGlobalAddressSpace}]>,
  "pointer to global memory (!llvm.ptr<1>)">;
// A scalar int, float or pointer, or a 1-D vector of ints or floats of at most 128 bits.
def Lane_Value : AnyTypeOf<[AnySignlessInteger, AnyFloat, LLVM_AnyPointer,
                            VectorOfAnyRankOf<[AnySignlessInteger, AnyFloat]>]>;
def Lane_SharedPtr : Type<CPred<[{
  ::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self) &&
  ::llvm::cast<::mlir::LLVM::LLVMPointerType>($_self).getAddressSpace() == ::hocket::kSharedAddressSpace}]>,
  "pointer to shared memory (!llvm.ptr<3>)">;

#endif
