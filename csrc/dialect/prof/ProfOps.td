// Operations of the `prof` dialect.
#ifndef HOCKET_DIALECT_PROF_PROFOPS_TD
#define HOCKET_DIALECT_PROF_PROFOPS_TD

include "dialect/hk/HkOpBase.td"
include "dialect/prof/ProfAttrs.td"

class Prof_Op<string mnemonic, list<Trait> traits = []> : Op<Prof_Dialect, mnemonic, traits>;

// Records keep their order among each other and among what kernels print, and loads and stores may pass them.
class Prof_Telling<string mnemonic, list<Trait> traits = []>
  : Prof_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead<HK_Messages>, MemWrite<HK_Messages>]>])>;

def Prof_Payload : Optional<I32>;
def Prof_Site : OptionalAttr<ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<1023>]>>;

// What users place -----------------------------------------------------------------------------------------------------

def Prof_RecordOp : Prof_Telling<"record", [AttrSizedOperandSegments]> {
  let summary = "Write down that a scope begins or ends here, or a mark";
  let description = [{
    Each warp that is profiled writes a record: what, the time, and `payload`, of which the format keeps the lowest 8 or 20
    bits. Where `when` is false nothing is written, and no place is used up. `site` is set by hocket-number-sites.

    C1: `site_kind` is mark for a mark, and neither mark nor token for begin and end.
    C2: an end has no payload.
    C3: the name is not empty.

    ```mlir
    prof.record begin "load" payload %k : i32 when %c
    prof.record end "load" when %c
    ```
  }];
  let arguments = (ins Prof_RecordKindAttr:$kind, StrAttr:$name, Prof_Payload:$payload, Optional<I1>:$pred,
    DefaultValuedAttr<Prof_SiteKindAttr, "::hocket::prof::SiteKind::Scope">:$site_kind, Prof_Site:$site);
  let assemblyFormat = [{
    `` $kind $name (`payload` $payload^ `:` type($payload))? (`when` $pred^)? (`as` `` $site_kind^)? (`site` $site^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def Prof_BeginOp : Prof_Telling<"begin", [AttrSizedOperandSegments]> {
  let summary = "Write down that something begins whose end may come anywhere";
  let description = [{
    The token is a number: it may be carried by loops, stored in memory and read by other warps. It is 0, for which
    `prof.end` writes nothing, where `when` is false.

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
  let summary = "Write down that what a token stands for ends here";
  let description = [{
    Nothing is written for the token 0.

    ```mlir
    prof.end %t
    ```
  }];
  let arguments = (ins I32:$token);
  let assemblyFormat = "$token attr-dict";
}

// What passes place ----------------------------------------------------------------------------------------------------

def Prof_BufferAllocOp : Prof_Op<"buffer_alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "The memory of a kernel's records";
  let description = [{
    The only allocation of the profiler. The descriptor's layout says in which memory the records are collected: in
    shared memory at `hk.offset`, in device memory that the launch hands over as an implicit argument, or in the variable
    `symbol` of the module. `warps` are the warps whose records are kept, a unit each.

    C1: the type is a ring of words: `!hk.memdesc<UxWxi32, #prof.records<..>>`, with a slot of W words for each of
        `warps`; W is a power of two, at least 4.
    C2: `warps` ascend.
    C3: a function has one.
    C4: `symbol` is given where the space is static, and only there.
    C5: only `prof.init`, `prof.finalize` and `prof.buffer_dealloc` use it. Each warp writes to a part of its own, so
        no barrier is placed for this memory, and nothing would order the accesses of other operations.

    ```mlir
    %b = prof.buffer_alloc warps = [0, 1, 2, 3] : !hk.memdesc<4x128xi32, #prof.records<device>>
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$warps, OptionalAttr<StrAttr>:$symbol);
  let results = (outs HK_MemDesc:$buffer);
  let assemblyFormat = "`warps` `=` $warps (`symbol` `=` $symbol^)? attr-dict `:` qualified(type($buffer))";
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
    Warp 0 writes what the header says of the beginning; each unit has written nothing so far.

    C1: the buffer is that of a `prof.buffer_alloc`, whose block this stands in.

    ```mlir
    prof.init %b : !hk.memdesc<4x128xi32, #prof.records<device>>
    ```
  }];
}

def Prof_FinalizeOp : Prof_BufferOp<"finalize"> {
  let summary = "End the records of a warp";
  let description = [{
    Each unit writes how many records it has made, and copies those that are in shared memory to the device's, with all
    lanes of its warp. Warp 0 writes what the header says of the end. Warps do not wait for each other. It stands before
    every return of the kernel; warps of workers, which have a return of their own, do the same there.

    C1: the buffer is that of a `prof.buffer_alloc`.
    C2: it stands in no loop, in no stage of a warp pipeline, and in no worker: no warp may be behind another's.

    ```mlir
    prof.finalize %b : !hk.memdesc<4x128xi32, #prof.records<device>>
    ```
  }];
}

def Prof_BufferDeallocOp : Prof_BufferOp<"buffer_dealloc"> {
  let summary = "The end of the buffer's lifetime";
  let description = [{
    Becomes nothing: shared memory ends with the block, and the host owns the rest. No operation uses the buffer after it.

    C1: the buffer is that of a `prof.buffer_alloc`.
    C2: nothing in its block uses the buffer after it.
    C3: a `prof.finalize` of the buffer stands before it in its block.

    ```mlir
    prof.buffer_dealloc %b : !hk.memdesc<4x128xi32, #prof.records<device>>
    ```
  }];
}

def Prof_ReadClockOp : Prof_Telling<"read_clock"> {
  let summary = "The time of the unit, in cycles";
  let description = [{
    One reading, that cannot tear: the low 32 bits of the counter, or all 64.

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
    Takes the next place of the unit and writes a record with the time `clock`. `tag` is the first word of the record
    without the clock: kind, site and payload.

    ```mlir
    prof.store_record %tag at %c : i32 when %p
    ```
  }];
  let arguments = (ins I32:$tag, AnyTypeOf<[I32, I64]>:$clock, Optional<I1>:$pred);
  let assemblyFormat = "$tag `at` $clock `:` type($clock) (`when` $pred^)? attr-dict";
}

#endif
