// Types of the `hk` dialect.
#ifndef HOCKET_DIALECT_HK_IR_HKTYPES_TD
#define HOCKET_DIALECT_HK_IR_HKTYPES_TD

include "dialect/hk/ir/HkDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"

class HK_Type<string name, string typeMnemonic, list<Trait> traits = []> : TypeDef<Hk_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def HK_Pointer : HK_Type<"Pointer", "ptr"> {
  let summary = "pointer to an element in global memory";
  let description = [{
    C1: the pointee is an integer of whole bytes, a float, or a pointer. A bool is one byte in memory: load an i8.
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
}

def HK_MemDesc : HK_Type<"MemDesc", "memdesc", [ShapedTypeInterface]> {
  let summary = "handle to a tile in a memory of the block";
  let description = [{
    `shape` is the shape of the part of the buffer to which the handle refers. `alloc_shape` is the shape of the whole
    buffer; it is printed only if it differs from `shape`.

    `space` is the memory that holds the buffer (`MemorySpaces.h`): shared memory, unless `in` names another one.

    The layout describes a *tile*: the last dimensions of the buffer, whose number is the rank of the layout. Dimensions
    before the tile number the *slots* of a ring buffer. Each slot holds a tile, and the slots are consecutive in
    memory.

    C1: `layout` is a shared layout whose rank is at most the number of dimensions of `shape`.
    C2: `shape` and `alloc_shape` have the same rank; no size of `shape` exceeds that of `alloc_shape`.
    C3: a ring buffer has at least 1 slot; sizes of the tile are powers of two.
    C4: elements are integers of whole bytes, or floats.
    C5: the layout is valid for the tile of `alloc_shape` (a padded layout is valid for one shape only).
    C6: the sizes of `alloc_shape` multiply to at most 2^31.

    ```mlir
    !hk.memdesc<64x32xf16, #shared>           // a buffer
    !hk.memdesc<3x64x32xf16, #shared>         // a ring buffer with 3 slots
    !hk.memdesc<64x16xf16, #shared, 64x32>    // half of a buffer
    !hk.memdesc<64x32xf16, #shared in #other> // a buffer in the memory space #other
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::mlir::Attribute":$layout,
                        ArrayRefParameter<"int64_t">:$allocShape, "::hocket::hk::MemorySpace":$space);
  // Without the argument `space`, the buffer is in shared memory.
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                        "::mlir::Attribute":$layout), [{
      return get(shape, elementType, layout, shape);
    }]>,
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                        "::mlir::Attribute":$layout, "::llvm::ArrayRef<int64_t>":$allocShape), [{
      return get(shape, elementType, layout, allocShape, ::hocket::hk::SharedSpaceAttr::get(elementType.getContext()));
    }]>,
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                        "::mlir::Attribute":$layout, "::llvm::ArrayRef<int64_t>":$allocShape,
                                        "::hocket::hk::MemorySpace":$space), [{
      return $_get(elementType.getContext(), shape, elementType, layout, allocShape, space);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    mlir::ShapedType cloneWith(std::optional<llvm::ArrayRef<int64_t>> shape, mlir::Type elementType) const;
    /// Number of leading dimensions, whose indices select a slot of a ring buffer.
    unsigned getSlotRank() const;
    /// Shapes without the dimensions that select a slot: of the part to which the handle refers, and of the whole
    /// buffer.
    llvm::ArrayRef<int64_t> getTileShape() const { return getShape().drop_front(getSlotRank()); }
    llvm::ArrayRef<int64_t> getAllocTileShape() const { return getAllocShape().drop_front(getSlotRank()); }
    /// Number of elements from the start of one slot to the start of the next slot, including the padding of the tile.
    int64_t getSlotStride() const;
    /// Size of the whole buffer in bytes.
    int64_t getAllocBytes() const;
  }];
}

// Constraints -------------------------------------------------------------------------------------------------------

def HK_SharedMemDesc
    : Type<And<[HK_MemDesc.predicate,
                CPred<"::llvm::isa<::hocket::hk::SharedSpaceAttr>("
                      "::llvm::cast<::hocket::hk::MemDescType>($_self).getSpace())">]>,
           "handle to a tile in shared memory", "::hocket::hk::MemDescType">;

def HK_Number : AnyTypeOf<[AnySignlessInteger, AnyFloat]>;
def HK_Scalar : AnyTypeOf<[HK_Number, HK_Pointer]>;
// An undecided layout is a placeholder for a distributed layout (HK_AutoAttr).
class HK_TensorOf<list<Type> elements, string name>
    : Type<And<[RankedTensorOf<elements>.predicate,
                CPred<"::llvm::isa_and_nonnull<::hocket::hk::DistributedLayout, ::hocket::hk::UndecidedLayout>("
                      "::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding())">]>,
           "tensor of " # name # " with a distributed layout", "::mlir::RankedTensorType">;
def HK_Tensor : HK_TensorOf<[HK_Scalar], "numbers or pointers">;
def HK_NumberTensor : HK_TensorOf<[HK_Number], "numbers">;
def HK_IntTensor : HK_TensorOf<[AnySignlessInteger], "integers">;
def HK_BoolTensor : HK_TensorOf<[I1], "i1">;
def HK_PointerTensor : HK_TensorOf<[HK_Pointer], "pointers">;
def HK_PointerLike : AnyTypeOf<[HK_Pointer, HK_PointerTensor], "pointer or tensor of pointers with a distributed layout">;
def HK_Value : AnyTypeOf<[HK_Scalar, HK_Tensor], "number, pointer, or tensor of those with a distributed layout">;
def HK_BoolLike : AnyTypeOf<[I1, HK_BoolTensor], "i1 or tensor of i1 with a distributed layout">;
def HK_IntLike : AnyTypeOf<[AnySignlessInteger, HK_IntTensor],
                           "integer or tensor of integers with a distributed layout">;

#endif
