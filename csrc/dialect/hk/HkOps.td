// Operations of the `hk` dialect. Synchronisation behaviour is part of each description.
#ifndef HOCKET_DIALECT_HK_HKOPS_TD
#define HOCKET_DIALECT_HK_HKOPS_TD

include "dialect/hk/HkAttrs.td"
include "dialect/hk/HkTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class HK_Op<string mnemonic, list<Trait> traits = []> : Op<Hk_Dialect, mnemonic, traits>;

def HK_GlobalMemory : Resource<"::hocket::hk::GlobalMemory">;
def HK_SharedMemory : Resource<"::hocket::hk::SharedMemory">;

// Grid ----------------------------------------------------------------------------------------------------------------

class HK_GridOp<string mnemonic> : HK_Op<mnemonic, [Pure]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def HK_ProgramIdOp : HK_GridOp<"program_id"> {
  let summary = "Return this block's index along a grid axis";
  let description = [{
    ```mlir
    %pid = hk.program_id 0
    ```
  }];
}

def HK_NumProgramsOp : HK_GridOp<"num_programs"> {
  let summary = "Return the number of blocks along a grid axis";
}

// Creation and views of tensors -----------------------------------------------------------------------------------------

def HK_ArangeOp : HK_Op<"arange", [Pure]> {
  let summary = "Make the 1-D tensor start, start+1, .., end-1";
  let description = [{
    C1: the result is a 1-D i32 tensor of end - start elements.
    C2: start < end.
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs HK_NumberTensor:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def HK_SplatOp : HK_Op<"splat", [Pure]> {
  let summary = "Make a tensor whose elements all equal a scalar";
  let description = [{ C1: the result's element type is the operand's type. }];
  let arguments = (ins HK_Scalar:$src);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def HK_ExpandDimsOp : HK_Op<"expand_dims", [Pure]> {
  let summary = "Insert a dimension of size 1";
  let description = [{
    C1: the result's shape is the operand's with a 1 inserted at `axis`.
    C2: the operand's layout is the result's layout sliced along `axis` (the same linear map; no data moves).
  }];
  let arguments = (ins HK_Tensor:$src, I32Attr:$axis);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$src `axis` `=` $axis attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_BroadcastOp : HK_Op<"broadcast", [Pure]> {
  let summary = "Stretch dimensions of size 1";
  let description = [{
    C1: ranks and element types are equal; dimensions that differ have size 1 in the operand.
    C2: operand and result have the same layout.
  }];
  let arguments = (ins HK_Tensor:$src);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_ReshapeOp : HK_Op<"reshape", [Pure]> {
  let summary = "Reinterpret the elements, in row-major order, in another shape";
  let description = [{
    C1: element counts and element types are equal.
    C2: the layouts are the same map from (register, lane, warp, block) to the row-major index; no data moves.
  }];
  let arguments = (ins HK_Tensor:$src);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_PermuteOp : HK_Op<"permute", [Pure]> {
  let summary = "Permute the dimensions: result dimension i is operand dimension order[i]";
  let description = [{
    C1: `order` is a permutation; the result's shape is the operand's permuted.
    C2: the layouts are the same map up to that permutation; no data moves.
  }];
  let arguments = (ins HK_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$src $order attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_ConvertLayoutOp : HK_Op<"convert_layout", [Pure]> {
  let summary = "Redistribute a tensor over registers, lanes and warps";
  let description = [{
    Values move within a lane's registers where that is enough, else between the lanes of a warp, else through shared
    memory (then it synchronises the block, and needs scratch space).

    C1: operand and result differ only in layout.
  }];
  let arguments = (ins HK_Tensor:$src);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

// Arithmetic that arith and math lack --------------------------------------------------------------------------------

def HK_AddPtrOp : HK_Op<"addptr", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "Advance pointers by offsets counted in elements";
  let description = [{ C1: `ptr` and `offset` agree in shape and layout. }];
  let arguments = (ins HK_PointerLike:$ptr, HK_IntLike:$offset);
  let results = (outs HK_PointerLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def HK_PtrToIntOp : HK_Op<"ptr_to_int", [Pure]> {
  let summary = "Return addresses as i64";
  let description = [{ C1: the result is i64 in the shape and layout of the operand. }];
  let arguments = (ins HK_PointerLike:$src);
  let results = (outs HK_IntLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_IntToPtrOp : HK_Op<"int_to_ptr", [Pure]> {
  let summary = "Make pointers from i64 addresses";
  let description = [{ C1: the operand is i64 in the shape and layout of the result. }];
  let arguments = (ins HK_IntLike:$src);
  let results = (outs HK_PointerLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_PtrCastOp : HK_Op<"ptr_cast", [Pure]> {
  let summary = "Change the type that pointers point to";
  let description = [{ C1: operand and result have the same shape and layout. }];
  let arguments = (ins HK_PointerLike:$src);
  let results = (outs HK_PointerLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_MulHiOp : HK_Op<"mulhi", [Pure, SameOperandsAndResultType]> {
  let summary = "Return the upper half of the unsigned product";
  let arguments = (ins HK_IntLike:$lhs, HK_IntLike:$rhs);
  let results = (outs HK_IntLike:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def HK_AssumeOp : HK_Op<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "State a fact that the optimiser may use; undefined behaviour if it is false";
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

// Global memory -------------------------------------------------------------------------------------------------------

def HK_MaskMatchesPtr : OptionalTypesMatchWith<"mask is i1 in the shape and layout of ptr", "ptr", "mask",
                                               "::hocket::hk::withElementType($_self, "
                                               "::mlir::IntegerType::get($_self.getContext(), 1))">;

def HK_LoadOp : HK_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    HK_MaskMatchesPtr,
    OptionalTypesMatchWith<"other has the type of the result", "result", "other", "$_self">]> {
  let summary = "Read global memory through pointers";
  let description = [{
    Elements whose `mask` is false are not read: they are `other`, or undefined without it.

    C1: the result has the pointers' shape and layout, and their pointee as element type.
    C2: `mask` is i1 (`other` of the result's type) in the same shape and layout; `other` needs `mask`.
  }];
  let arguments = (ins HK_PointerLike:$ptr, Optional<HK_BoolLike>:$mask,
    Optional<HK_Value>:$other,
    DefaultValuedAttr<HK_CacheModifierAttr, "::hocket::hk::CacheModifier::None">:$cache,
    DefaultValuedAttr<HK_EvictionPolicyAttr, "::hocket::hk::EvictionPolicy::None">:$eviction, UnitAttr:$isVolatile);
  let results = (outs HK_Value:$result);
  let assemblyFormat = [{
    $ptr (`,` `mask` $mask^ (`,` `other` $other^)?)? (`cache` `=` $cache^)? (`evict` `=` $eviction^)?
    (`volatile` $isVolatile^)? attr-dict `:` type($ptr) `->` type($result)
  }];
  let hasVerifier = 1;
}

def HK_StoreOp : HK_Op<"store", [HK_MaskMatchesPtr]> {
  let summary = "Write global memory through pointers";
  let description = [{
    Elements whose `mask` is false are not written. An element that several lanes hold (a replicated layout) is written
    once.

    C1: the value has the pointers' shape and layout, and their pointee as element type.
    C2: `mask` is i1 in the same shape and layout.
  }];
  let arguments = (ins Arg<HK_PointerLike, "", [MemWrite<HK_GlobalMemory>]>:$ptr, HK_Value:$value,
    Optional<HK_BoolLike>:$mask,
    DefaultValuedAttr<HK_CacheModifierAttr, "::hocket::hk::CacheModifier::None">:$cache,
    DefaultValuedAttr<HK_EvictionPolicyAttr, "::hocket::hk::EvictionPolicy::None">:$eviction);
  let assemblyFormat = [{
    $ptr `,` $value (`,` `mask` $mask^)? (`cache` `=` $cache^)? (`evict` `=` $eviction^)? attr-dict `:` type($ptr)
    `,` type($value)
  }];
  let hasVerifier = 1;
}

def HK_AtomicRmwOp : HK_Op<"atomic_rmw", [AllTypesMatch<["value", "result"]>, HK_MaskMatchesPtr]> {
  let summary = "Combine values with global memory atomically and return the old ones";
  let description = [{
    Each element is combined once, also where the layout replicates it; every lane that holds it gets the old value.

    C1: value and result have the pointers' shape and layout, and their pointee as element type.
    C2: `mask` is i1 in the same shape and layout. C3: fadd needs a float element, the other operations an integer
    (xchg takes both).
  }];
  let arguments = (ins HK_AtomicOpAttr:$op,
    Arg<HK_PointerLike, "", [MemRead<HK_GlobalMemory>, MemWrite<HK_GlobalMemory>]>:$ptr, HK_Value:$value,
    Optional<HK_BoolLike>:$mask, DefaultValuedAttr<HK_MemSemanticAttr, "::hocket::hk::MemSemantic::AcqRel">:$sem,
    DefaultValuedAttr<HK_MemScopeAttr, "::hocket::hk::MemScope::Gpu">:$scope);
  let results = (outs HK_Value:$result);
  let assemblyFormat = [{
    $op `,` $ptr `,` $value (`,` `mask` $mask^)? (`sem` `=` $sem^)? (`scope` `=` $scope^)? attr-dict `:` type($ptr)
    `,` type($value)
  }];
  let hasVerifier = 1;
}

def HK_AtomicCasOp : HK_Op<"atomic_cas", [AllTypesMatch<["compare", "value", "result"]>]> {
  let summary = "Compare and swap global memory atomically and return the old values";
  let description = [{ C1: all have the pointers' shape and layout; elements are 16, 32 or 64 bits wide. }];
  let arguments = (ins Arg<HK_PointerLike, "", [MemRead<HK_GlobalMemory>, MemWrite<HK_GlobalMemory>]>:$ptr,
    HK_Value:$compare, HK_Value:$value, DefaultValuedAttr<HK_MemSemanticAttr, "::hocket::hk::MemSemantic::AcqRel">:$sem,
    DefaultValuedAttr<HK_MemScopeAttr, "::hocket::hk::MemScope::Gpu">:$scope);
  let results = (outs HK_Value:$result);
  let assemblyFormat = [{
    $ptr `,` $compare `,` $value (`sem` `=` $sem^)? (`scope` `=` $scope^)? attr-dict `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

// Reductions and dots -------------------------------------------------------------------------------------------------

def HK_ReduceOp : HK_Op<"reduce", [SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "Combine the elements along one axis";
  let description = [{
    The region takes two sets of scalars (lhs.., rhs..) and returns their combination, which must be associative and
    commutative. Elements are combined in registers, then between lanes, then between warps; the last synchronises the
    block and needs scratch space.

    C1: operands have the same shape and layout; there is at least one.
    C2: each result is the operand with `axis` removed, in the operand's layout sliced along `axis`; for a 1-D operand
        it is the element type itself.
    C3: the region has 2n scalar arguments and ends with `hk.reduce.return` of n scalars, of the element types.
  }];
  let arguments = (ins Variadic<HK_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<HK_Value>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "$srcs `axis` `=` $axis attr-dict-with-keyword $combine `:` functional-type($srcs, $results)";
  let hasVerifier = 1;
}

def HK_ReduceReturnOp : HK_Op<"reduce.return", [Pure, Terminator, ReturnLike, HasParent<"ReduceOp">]> {
  let summary = "End the combine region of a reduction";
  let arguments = (ins Variadic<HK_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def HK_DotFmaOp : HK_Op<"dot_fma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a x b by fused multiply-adds on each lane";
  let description = [{
    C1: a is [.., M, K], b [.., K, N], acc [.., M, N], of rank 2 or 3.
    C2: acc has a Blocked layout; a and b have its DotOperand layouts 0 and 1.
    C3: the element types of a and b are equal; acc is the same or a wider float.
  }];
  let arguments = (ins HK_NumberTensor:$a, HK_NumberTensor:$b, HK_NumberTensor:$acc);
  let results = (outs HK_NumberTensor:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `->` type($acc)";
  let hasVerifier = 1;
}

// Shared memory -------------------------------------------------------------------------------------------------------

def HK_LocalAllocOp : HK_Op<"local_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Allocate a tile in shared memory, optionally with its first contents";
  let description = [{
    The buffer lives from here to the last use of the handle and of every view of it; buffers that are never alive
    together may share memory. Storing the initial value behaves like `hk.local_store`.

    C1: `src` has the descriptor's shape and element type.
  }];
  let arguments = (ins Optional<HK_Tensor>:$src);
  let results = (outs HK_MemDesc:$result);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type($src, $result)";
  let hasVerifier = 1;
}

def HK_LocalLoadOp : HK_Op<"local_load"> {
  let summary = "Read a tile of shared memory into registers";
  let description = [{
    Barriers against earlier writes of other lanes are inserted by the compiler.

    C1: the result has the descriptor's shape and element type and a distributed layout.
  }];
  let arguments = (ins Arg<HK_MemDesc, "", [MemRead<HK_SharedMemory>]>:$src);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_LocalStoreOp : HK_Op<"local_store"> {
  let summary = "Write a tile of registers into shared memory";
  let description = [{
    Barriers against earlier reads and writes of other lanes are inserted by the compiler.

    C1: the value has the descriptor's shape and element type.
  }];
  let arguments = (ins HK_Tensor:$value, Arg<HK_MemDesc, "", [MemWrite<HK_SharedMemory>]>:$dst);
  let assemblyFormat = "$value `,` $dst attr-dict `:` type($value) `->` type($dst)";
  let hasVerifier = 1;
}

def HK_MemDescIndexOp : HK_Op<"memdesc_index", [Pure]> {
  let summary = "Select one slot along dimension 0, which is dropped";
  let description = [{
    C1: the result has the operand's shape without dimension 0, its element type and layout.
    C2: the operand's layout has a rank lower than the operand (dimension 0 is a ring of slots).
  }];
  let arguments = (ins HK_MemDesc:$src, I32:$index);
  let results = (outs HK_MemDesc:$result);
  let assemblyFormat = "$src `[` $index `]` attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_MemDescSliceOp : HK_Op<"memdesc_slice", [Pure]> {
  let summary = "Select a box of a tile at constant offsets";
  let description = [{
    C1: one offset per dimension; offset + result size fits the operand's shape.
    C2: the result has the operand's element type, layout and alloc_shape.
    C3: in each dimension, the result size is a power of two and divides the offset.
  }];
  let arguments = (ins HK_MemDesc:$src, DenseI32ArrayAttr:$offsets);
  let results = (outs HK_MemDesc:$result);
  let assemblyFormat = "$src $offsets attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_MemDescPermuteOp : HK_Op<"memdesc_permute", [Pure]> {
  let summary = "Permute the dimensions of a handle: result dimension i is operand dimension order[i]";
  let description = [{ C1: `order` is a permutation; the layouts are the same map up to it. }];
  let arguments = (ins HK_MemDesc:$src, DenseI32ArrayAttr:$order);
  let results = (outs HK_MemDesc:$result);
  let assemblyFormat = "$src $order attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_MemDescReshapeOp : HK_Op<"memdesc_reshape", [Pure]> {
  let summary = "Show a whole buffer, in row-major order, in another shape";
  let description = [{ C1: element counts are equal; the layouts are the same map to the row-major index. }];
  let arguments = (ins HK_MemDesc:$src);
  let results = (outs HK_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def HK_MemDescReinterpretOp : HK_Op<"memdesc_reinterpret", [Pure]> {
  let summary = "Show the bytes of a whole buffer as another type, shape and layout";
  let description = [{ C1: the result needs no more bytes than the operand. }];
  let arguments = (ins HK_MemDesc:$src);
  let results = (outs HK_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

// Synchronisation and checks ------------------------------------------------------------------------------------------

def HK_BarrierOp : HK_Op<"barrier", [MemoryEffects<[MemRead<HK_SharedMemory>, MemWrite<HK_SharedMemory>,
                                                      MemRead<HK_GlobalMemory>, MemWrite<HK_GlobalMemory>]>]> {
  let summary = "Wait for all warps of the block; order their shared and global memory accesses";
  let description = [{
    `local` orders shared memory only: this is what the compiler inserts for shared-memory hazards.
  }];
  let arguments = (ins UnitAttr:$local);
  let assemblyFormat = "(`local` $local^)? attr-dict";
}

def HK_AssertOp : HK_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stop the program with a message where a condition is false";
  let arguments = (ins HK_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

#endif
