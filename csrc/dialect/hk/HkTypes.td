// Types of the `hk` dialect.
#ifndef HOCKET_DIALECT_HK_HKTYPES_TD
#define HOCKET_DIALECT_HK_HKTYPES_TD

include "dialect/hk/HkDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"

class HK_Type<string name, string typeMnemonic, list<Trait> traits = []> : TypeDef<Hk_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def HK_Pointer : HK_Type<"Pointer", "ptr"> {
  let summary = "pointer to an element in global memory";
  let parameters = (ins "::mlir::Type":$pointee);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
  let assemblyFormat = "`<` $pointee `>`";
}

def HK_MemDesc : HK_Type<"MemDesc", "memdesc", [ShapedTypeInterface]> {
  let summary = "handle to a tile in shared memory";
  let description = [{
    `shape` is what the handle shows; `alloc_shape` that of the buffer it was cut from (equal unless printed).

    C1: `layout` is a shared layout of rank `shape`, or of a lower rank: leading dimensions are then slots of a ring.
    C2: every dimension of `shape` and `alloc_shape` is positive.

    ```mlir
    !hk.memdesc<64x32xf16, #shared>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::mlir::Attribute":$layout,
                        ArrayRefParameter<"int64_t">:$allocShape);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                        "::mlir::Attribute":$layout), [{
      return $_get(elementType.getContext(), shape, elementType, layout, shape);
    }]>,
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                        "::mlir::Attribute":$layout, "::llvm::ArrayRef<int64_t>":$allocShape), [{
      return $_get(elementType.getContext(), shape, elementType, layout, allocShape);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    mlir::ShapedType cloneWith(std::optional<llvm::ArrayRef<int64_t>> shape, mlir::Type elementType) const;
  }];
}

// Constraints -------------------------------------------------------------------------------------------------------

def HK_Number : AnyTypeOf<[AnySignlessInteger, AnyFloat]>;
def HK_Scalar : AnyTypeOf<[HK_Number, HK_Pointer]>;
def HK_Tensor : RankedTensorOf<[HK_Scalar]>;
def HK_NumberTensor : RankedTensorOf<[HK_Number]>;
def HK_NumberLike : AnyTypeOf<[HK_Number, HK_NumberTensor]>;
def HK_PointerTensor : RankedTensorOf<[HK_Pointer]>;
def HK_PointerLike : AnyTypeOf<[HK_Pointer, HK_PointerTensor]>;
def HK_Value : AnyTypeOf<[HK_Scalar, HK_Tensor]>;
def HK_BoolLike : AnyTypeOf<[I1, RankedTensorOf<[I1]>]>;
def HK_IntLike : AnyTypeOf<[AnySignlessInteger, RankedTensorOf<[AnySignlessInteger]>]>;

#endif
