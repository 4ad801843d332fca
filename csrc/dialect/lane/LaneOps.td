// Operations of the `lane` dialect on memory, asynchronous copies, conversions and output.
#ifndef HOCKET_DIALECT_LANE_LANEOPS_TD
#define HOCKET_DIALECT_LANE_LANEOPS_TD

include "dialect/lane/LaneOpBase.td"
include "dialect/lane/MbarrierOps.td"
include "dialect/lane/WarpgroupOps.td"

def Lane_LoadOp : Lane_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    OptionalTypesMatchWith<"other has the type of the result", "result", "other", "$_self">]> {
  let summary = "Read up to 128 bits of global memory where the predicate holds";
  let description = [{
    The address must be a multiple of the width of the access. If `pred` is false, nothing is read, and the result is
    `other`, or undefined without `other`.

    C1: the result is 8, 16, 32, 64 or 128 bits wide; a vector has one dimension.
    C2: `other` has the result's type.
    C3: `other` is given only together with `pred`.

    ```mlir
    %v = lane.load %ptr, pred %p, other %zeros : !llvm.ptr<1> -> vector<4xf32>
    ```
  }];
  let arguments = (ins Lane_GlobalPtr:$ptr, Optional<I1>:$pred, Optional<Lane_Value>:$other,
    DefaultValuedAttr<HK_CacheModifierAttr, "::hocket::hk::CacheModifier::None">:$cache,
    OptionalAttr<HK_CachePolicyAttr>:$policy, UnitAttr:$isVolatile);
  let results = (outs Lane_Value:$result);
  let assemblyFormat = [{
    $ptr (`,` `pred` $pred^ (`,` `other` $other^)?)? (`cache` `=` `` $cache^)? (`policy` `=` $policy^)?
    (`volatile` $isVolatile^)? attr-dict `:` type($ptr) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Lane_StoreOp : Lane_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write up to 128 bits of global memory where the predicate holds";
  let description = [{
    The address must be a multiple of the width of the access. If `pred` is false, nothing is written.

    C1: the value is 8, 16, 32, 64 or 128 bits wide; a vector has one dimension.

    ```mlir
    lane.store %ptr, %v, pred %p cache = wb : !llvm.ptr<1>, vector<4xf32>
    ```
  }];
  let arguments = (ins Lane_GlobalPtr:$ptr, Lane_Value:$value, Optional<I1>:$pred,
    DefaultValuedAttr<HK_CacheModifierAttr, "::hocket::hk::CacheModifier::None">:$cache,
    OptionalAttr<HK_CachePolicyAttr>:$policy);
  let assemblyFormat = [{
    $ptr `,` $value (`,` `pred` $pred^)? (`cache` `=` `` $cache^)? (`policy` `=` $policy^)? attr-dict `:` type($ptr)
    `,` type($value)
  }];
  let hasVerifier = 1;
}

def Lane_CachePolicyOp : Lane_Op<"cache_policy", [Pure]> {
  let summary = "Encode an L2 cache policy as the 64-bit operand of bulk copies";
  let description = [{
    In the emulator, which has no caches, the result is 0.

    C1: the policy has an L2 part.

    ```mlir
    %p = lane.cache_policy <l2 = evict_first>
    ```
  }];
  let arguments = (ins HK_CachePolicyAttr:$policy);
  let results = (outs I64:$result);
  let assemblyFormat = "$policy attr-dict";
  let hasVerifier = 1;
}

def Lane_AtomicRmwOp : Lane_Op<"atomic_rmw", [AllTypesMatch<["value", "result"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Combine with global memory atomically where the predicate holds; return the old value";
  let description = [{
    If `pred` is false, nothing happens and the result is undefined.

    C1: the value is 16, 32 or 64 bits wide; a vector has one dimension.
    C2: values are floats for fadd, integers for and, or, xor, add, max, min, umax and umin, and either for xchg.

    ```mlir
    %old = lane.atomic_rmw fadd relaxed gpu, %ptr, %v, pred %p : !llvm.ptr<1>, f32
    ```
  }];
  let arguments = (ins HK_AtomicOpAttr:$op, Lane_GlobalPtr:$ptr, Lane_Value:$value, Optional<I1>:$pred,
    HK_MemSemanticAttr:$sem, HK_MemScopeAttr:$scope);
  let results = (outs Lane_Value:$result);
  let assemblyFormat = [{
    `` $op `` $sem `` $scope `,` $ptr `,` $value (`,` `pred` $pred^)? attr-dict `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Lane_AtomicCasOp : Lane_Op<"atomic_cas", [AllTypesMatch<["compare", "value", "result"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Compare and swap global memory atomically where the predicate holds; return the old value";
  let description = [{
    If `pred` is false, nothing happens and the result is undefined. The comparison is bit by bit.

    C1: the value is a scalar of 16, 32 or 64 bits.

    ```mlir
    %old = lane.atomic_cas acq_rel gpu, %ptr, %expected, %desired : !llvm.ptr<1>, i32
    ```
  }];
  let arguments = (ins Lane_GlobalPtr:$ptr, Lane_Value:$compare, Lane_Value:$value, Optional<I1>:$pred,
    HK_MemSemanticAttr:$sem, HK_MemScopeAttr:$scope);
  let results = (outs Lane_Value:$result);
  let assemblyFormat = [{
    `` $sem `` $scope `,` $ptr `,` $compare `,` $value (`,` `pred` $pred^)? attr-dict `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Lane_FloatToIntOp : Lane_Op<"float_to_int", [Pure]> {
  let summary = "Convert a float to an integer: truncate, saturate, NaN to 0";
  let description = [{
    A float outside of the integer's range becomes the nearest integer in the range; NaN becomes 0. For these inputs the
    results of LLVM's fptosi and fptoui are undefined, and LLVM expands its saturating conversions (fptosi.sat) to long
    code where one instruction is enough.

    C1: the float is f16, f32 or f64, the integer 8, 16, 32 or 64 bits wide.

    ```mlir
    %i = lane.float_to_int %x : f32 -> i8
    %u = lane.float_to_int unsigned %x : f32 -> i32
    ```
  }];
  let arguments = (ins AnyTypeOf<[F16, F32, F64]>:$value, UnitAttr:$isUnsigned);
  let results = (outs AnyTypeOf<[I8, I16, I32, I64]>:$result);
  let assemblyFormat = "(`unsigned` $isUnsigned^)? $value attr-dict `:` type($value) `->` type($result)";
}

def Lane_AsyncCommitGroupOp : Lane_Op<"async_commit_group", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Commit the asynchronous copies that the warp has issued as a group";
  let description = [{
    The copies since the last commit, possibly none, become the newest commit group, for which `lane.async_wait_group`
    can wait.

    ```mlir
    lane.async_commit_group
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Lane_AsyncWaitGroupOp : Lane_Op<"async_wait_group", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until at most `outstanding` commit groups of asynchronous copies are pending";
  let description = [{
    After the wait, the warp may read the data that its own groups have copied, except the newest `outstanding` groups.
    Other warps may read the data only after a barrier.

    ```mlir
    lane.async_wait_group {outstanding = 1 : i32}
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$outstanding);
  let assemblyFormat = "attr-dict";
}

def Lane_MmaOp : Lane_Op<"mma", [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "Compute c + a x b with one mma.sync of a warp";
  let description = [{
    `a` and `b` are the lane's 4-byte words of the operands, `c` and the result the lane's accumulators, in the order of
    the instruction's registers. `instruction` is the name of LLVM's intrinsic.

    C1: `instruction` is one of target/MmaInstructions.h; the accumulators are i32 if the instruction multiplies
    integers, else f32.

    ```mlir
    %d = lane.mma "mma.m16n8k16.row.col.f32.f32" %a, %b, %c : vector<4xi32>, vector<2xi32>, vector<4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$instruction, FixedVectorOfLengthAndType<[4], [I32]>:$a,
    FixedVectorOfLengthAndType<[2], [I32]>:$b, FixedVectorOfLengthAndType<[4], [I32, F32]>:$c);
  let results = (outs FixedVectorOfLengthAndType<[4], [I32, F32]>:$result);
  let assemblyFormat = "$instruction $a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$instruction, "::mlir::Value":$a, "::mlir::Value":$b,
    "::mlir::Value":$c), "build($_builder, $_state, c.getType(), instruction, a, b, c);">];
}

def Lane_PrintOp : Lane_Op<"print", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Print a line where the predicate holds";
  let description = [{
    The line begins with the numbers of the block, warp and lane, followed by the index of the `element`, if there is
    one. In `text`, the values replace the placeholders `{d}`, `{u}`, `{x}` and `{f}` (see hk.print).

    C1: `text` has one placeholder for each value.

    ```mlir
    lane.print "x: {f}" [%row, %column] of %x : f32 pred %p
    ```
  }];
  let arguments = (ins StrAttr:$text, Variadic<I32>:$element, Variadic<Lane_Value>:$values, Optional<I1>:$pred);
  let assemblyFormat = [{
    $text `[` $element `]` (`of` $values^ `:` type($values))? (`pred` $pred^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Lane_AssertOp : Lane_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stop the program with a message where the condition is false";
  let description = [{
    If there is an `index`, the condition is that a 32-bit index has not overflowed, and `index` is the exact 64-bit
    value of that index.

    ```mlir
    lane.assert %in_range, "index out of range"
    lane.assert %fits, "an index overflows 32 bits" index %wide
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message, Optional<I64>:$index);
  let assemblyFormat = "$condition `,` $message (`index` $index^)? attr-dict";
}

include "dialect/lane/PartitionOps.td"

#endif
