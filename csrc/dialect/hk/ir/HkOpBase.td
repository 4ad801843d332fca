// Base class of the `hk` dialect's operations, and the resources of their side effects.
#ifndef HOCKET_DIALECT_HK_IR_HKOPBASE_TD
#define HOCKET_DIALECT_HK_IR_HKOPBASE_TD

include "dialect/hk/ir/HkAttrs.td"
include "dialect/hk/ir/HkOpInterfaces.td"
include "dialect/hk/ir/HkTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class HK_Op<string mnemonic, list<Trait> traits = []> : Op<Hk_Dialect, mnemonic, traits>;

def HK_GlobalMemory : Resource<"::hocket::hk::GlobalMemory">;
def HK_SharedMemory : Resource<"::hocket::hk::SharedMemory">;
def HK_Messages : Resource<"::hocket::hk::Messages">;

// Among the warps of a hardware scheduler, the warp with the highest priority issues first. On GPUs without warp
// priorities, the priority has no effect.
def HK_StagePriority : ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<3>]>;

// Byte offset of the memory that an operation owns (interface MemoryOwner). The maximum exceeds the memory of a block on
// any GPU, and is small enough that address computations do not overflow.
def HK_MemoryOffset : OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<0xfffff>]>>;

def HK_MaskMatchesPtr : OptionalTypesMatchWith<"mask is i1 in the shape and layout of ptr", "ptr", "mask",
                                               "::hocket::hk::withElementType($_self, "
                                               "::mlir::IntegerType::get($_self.getContext(), 1))">;

#endif
