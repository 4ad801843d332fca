// Operations of the `prof` dialect.
#ifndef HOCKET_DIALECT_PROF_PROFOPS_TD
#define HOCKET_DIALECT_PROF_PROFOPS_TD

include "dialect/hk/ir/HkOpBase.td"
include "dialect/prof/ProfAttrs.td"

class Prof_Op<string mnemonic, list<Trait> traits = []>
  : Op<Prof_Dialect, mnemonic, !listconcat([HK_KeptInLaneForm], traits)>;

// Records keep their order relative to each other and to the kernel's prints and assertions. Loads and stores may be
// reordered with records.
class Prof_Telling<string mnemonic, list<Trait> traits = []>
  : Prof_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead<HK_Messages>, MemWrite<HK_Messages>]>])>;

def Prof_Payload : Optional<I32>;
def Prof_Site : OptionalAttr<ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<1023>]>>;

// Operations for users
// ----------------------------------------------------------------------------------------------------

def Prof_RecordOp : Prof_Telling<"record", [AttrSizedOperandSegments]> {
  let summary = "Record the beginning or end of a scope, or a mark";
  let description = [{
    Each profiled warp writes a record with the kind, the time, and the lowest bits of `payload`: 20 bits with a clock
    of 32 bits, 8 bits with a clock of 44 bits. If `when` is false, no record is written. hocket-number-sites sets
    `site`. In a record of a stage of a warp pipeline, `stage` is the index of the stage in its pipeline; `exclusive`
    means that only one of the two groups of warps executes the stage at a time.

    C1: `site_kind` is mark for a mark, and neither mark nor token for begin and end.
    C2: an end has no payload.
    C3: the name is not empty.

    ```mlir
    prof.record begin "load" payload %k : i32 when %c
    prof.record end "load" when %c
    ```
  }];
  let arguments = (ins Prof_RecordKindAttr:$kind, StrAttr:$name, Prof_Payload:$payload, Optional<I1>:$pred,
    DefaultValuedAttr<Prof_SiteKindAttr, "::hocket::prof::SiteKind::Scope">:$site_kind, Prof_Site:$site,
    OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative]>>:$stage, UnitAttr:$exclusive);
  let builders = [OpBuilder<(ins "::hocket::prof::RecordKind":$kind, "::llvm::StringRef":$name,
                                 "::mlir::Value":$payload, "::mlir::Value":$pred,
                                 "::hocket::prof::SiteKind":$siteKind), [{
    build($_builder, $_state, kind, name, payload, pred, siteKind, /*site=*/::mlir::IntegerAttr(),
          /*stage=*/::mlir::IntegerAttr(), /*exclusive=*/false);
  }]>];
  let assemblyFormat = [{
    `` $kind $name (`payload` $payload^ `:` type($payload))? (`when` $pred^)? (`as` `` $site_kind^)? (`site` $site^)?
    (`stage` $stage^)? (`exclusive` $exclusive^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Prof_BeginOp : Prof_Telling<"begin", [AttrSizedOperandSegments]> {
  let summary = "Record the beginning of an interval that may end at any program point";
  let description = [{
    The token is an i32: loops may carry it, and a warp may store it in memory for another warp. If `when` is false, the
    token is 0, and `prof.end` writes nothing for this token.

    C1: the name is not empty.

    ```mlir
    %t = prof.begin "tma" payload %slot : i32
    ```
  }];
  let arguments = (ins StrAttr:$name, Prof_Payload:$payload, Optional<I1>:$pred, Prof_Site:$site);
  let results = (outs I32:$token);
  let assemblyFormat = [{
    $name (`payload` $payload^ `:` type($payload))? (`when` $pred^)? (`site` $site^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Prof_EndOp : Prof_Telling<"end"> {
  let summary = "Record the end of the interval that a token denotes";
  let description = [{
    For the token 0, no record is written.

    ```mlir
    prof.end %t
    ```
  }];
  let arguments = (ins I32:$token);
  let assemblyFormat = "$token attr-dict";
}

// Operations for passes
// ---------------------------------------------------------------------------------------------------

def Prof_BufferAllocOp : Prof_Op<"buffer_alloc", [MemoryEffects<[MemAlloc]>, HK_MemoryOwner]> {
  let summary = "Allocate the buffer of a kernel's records";
  let description = [{
    The profiler allocates no other memory. The descriptor's layout determines the memory that collects the records:
    shared memory at `offset`, device memory that the launch passes as an implicit argument, or the variable `symbol` of
    the module. `warps` are the warps whose records are kept; each of these warps is one unit of the buffer.

    With `staging`, each warp collects records in `staging` bytes of shared memory at `offset`, and flushes them to the
    buffer in device memory while the kernel runs. The shared memory has two segments of one record per lane: while a
    full segment is flushed, the other segment collects records. `flush_site` is the site of the records of these
    flushes.

    C1: the type is an array of word buffers: `!hk.memdesc<UxWxi32, #prof.records<..>>`, with W words for each of the U
        `warps`; W is a power of two, at least 4.
    C2: `warps` are not negative, and in ascending order.
    C3: a function has at most one `prof.buffer_alloc`.
    C4: `symbol` is given if and only if the space is static.
    C5: only `prof.init`, `prof.finalize` and `prof.buffer_dealloc` use the buffer. Each warp writes to its own part of
        the buffer, so the compiler inserts no barriers for this memory; accesses by other operations would be
        unordered.
    C6: `staging` and `flush_site` are given together, and only if the space is device; `staging` is at most the size of
        a unit.

    ```mlir
    %b = prof.buffer_alloc warps = [0, 1, 2, 3] : !hk.memdesc<4x128xi32, #prof.records<device>>
    %f = prof.buffer_alloc warps = [0] staging = 512 site 7 offset = 0 : !hk.memdesc<1x256xi32, #prof.records<device>>
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$warps, OptionalAttr<StrAttr>:$symbol,
    OptionalAttr<ConfinedAttr<I32Attr, [IntMinValue<16>, IntPowerOf2]>>:$staging, Prof_Site:$flush_site,
    HK_MemoryOffset:$offset);
  let results = (outs HK_MemDesc:$buffer);
  let assemblyFormat = [{
    `warps` `=` $warps (`symbol` `=` $symbol^)? (`staging` `=` $staging^)? (`site` $flush_site^)?
    (`offset` `=` $offset^)? attr-dict `:` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

class Prof_BufferOp<string mnemonic> : Prof_Telling<mnemonic> {
  let arguments = (ins HK_MemDesc:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def Prof_InitOp : Prof_BufferOp<"init"> {
  let summary = "Begin the records of a block";
  let description = [{
    Warp 0 writes the fields of the header that describe the beginning of the block.

    C1: the buffer is the result of a `prof.buffer_alloc` in the same IR block.

    ```mlir
    prof.init %b : !hk.memdesc<4x128xi32, #prof.records<device>>
    ```
  }];
}

def Prof_FinalizeOp : Prof_BufferOp<"finalize"> {
  let summary = "End the records of a warp";
  let description = [{
    Each recorded warp writes the number of its records. If the records are in shared memory, all lanes of the warp copy
    them to device memory. Warp 0 writes the fields of the header that describe the end of the block. Warps do not wait
    for each other. The operation precedes every return of the kernel. Workers have their own returns: the conversion to
    lane form inserts the same code before these returns, except for the header.

    C1: the buffer is the result of a `prof.buffer_alloc`.
    C2: the operation is not in a loop, in a stage of a warp pipeline, or in a worker, because all warps of the launch
        must execute it at the same program point.

    ```mlir
    prof.finalize %b : !hk.memdesc<4x128xi32, #prof.records<device>>
    ```
  }];
}

def Prof_BufferDeallocOp : Prof_BufferOp<"buffer_dealloc"> {
  let summary = "End the lifetime of the buffer";
  let description = [{
    The operation lowers to nothing: shared memory is released when the block ends, and the host owns device memory and
    the module's variables.

    C1: the buffer is the result of a `prof.buffer_alloc`.
    C2: no later operation of the same IR block uses the buffer.
    C3: a `prof.finalize` of the buffer precedes the operation in the same IR block.

    ```mlir
    prof.buffer_dealloc %b : !hk.memdesc<4x128xi32, #prof.records<device>>
    ```
  }];
}

def Prof_ReadClockOp : Prof_Telling<"read_clock"> {
  let summary = "Read the cycle counter of the SM or compute unit";
  let description = [{
    The result is the low 32 bits or all 64 bits of the counter, read in one atomic access.

    ```mlir
    %c = prof.read_clock : i32
    ```
  }];
  let results = (outs AnyTypeOf<[I32, I64]>:$clock);
  let assemblyFormat = "attr-dict `:` type($clock)";
}

def Prof_StoreRecordOp : Prof_Telling<"store_record"> {
  let summary = "Write a record";
  let description = [{
    The operation writes the unit's next record, with the time `clock`. `tag` is the first word of the record, with
    kind, site and payload, but without bits of the clock.

    ```mlir
    prof.store_record %tag at %c : i32 when %p
    ```
  }];
  let arguments = (ins I32:$tag, AnyTypeOf<[I32, I64]>:$clock, Optional<I1>:$pred);
  let assemblyFormat = "$tag `at` $clock `:` type($clock) (`when` $pred^)? attr-dict";
}

#endif
