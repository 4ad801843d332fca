// A dialect for tests of interfaces: engines with their own counters, a memory space with its own barrier, an engine
// whose accesses complete with phases of barriers, an operation with scratch memory, and a region that warps execute
// concurrently with other code. Analyses and passes must handle them through their interfaces only.
include "dialect/hk/ir/HkOpBase.td"
include "mlir/IR/DialectBase.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::hocket::toy";
  let dependentDialects = ["::hocket::hk::HkDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class Toy_Op<string mnemonic, list<Trait> traits = []> : Op<Toy_Dialect, mnemonic, traits>;
// Operations that nothing moves across.
class Toy_Border<string mnemonic, list<Trait> traits>
  : Toy_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])>;

// Fetches: from global into shared memory, on the counter toy.fetches.

def Toy_FetchOp : Toy_Op<"fetch", [DeclareOpInterfaceMethods<HK_AsyncAccess>]> {
  let summary = "Start copying into a tile";
  let arguments = (ins Arg<HK_Pointer, "", [MemRead<HK_GlobalMemory>]>:$src,
    Arg<HK_SharedMemDesc, "", [MemWrite<HK_SharedMemory>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` qualified(type($src)) `->` qualified(type($dst))";
}

def Toy_EndFetchesOp : Toy_Border<"end_fetches", [DeclareOpInterfaceMethods<HK_AsyncCommit>]> {
  let summary = "Commit the fetches since the last such operation as a group";
  let assemblyFormat = "attr-dict";
}

def Toy_AwaitFetchesOp : Toy_Border<"await_fetches", [DeclareOpInterfaceMethods<HK_AsyncWait>]> {
  let summary = "Wait until at most `outstanding` groups of fetches are pending";
  let arguments = (ins I32Attr:$outstanding, UnitAttr:$implied);
  let assemblyFormat = "$outstanding (`implied` $implied^)? attr-dict";
}

// Sends: from shared into global memory. There are two waits for a group: until shared memory has been read
// (toy.sends_read), and until global memory has been written (toy.sends).

def Toy_SendOp : Toy_Op<"send", [DeclareOpInterfaceMethods<HK_AsyncAccess>,
    DeclareOpInterfaceMethods<HK_AsyncCommit>]> {
  let summary = "Start copying a tile to global memory, as a group of its own";
  let arguments = (ins Arg<HK_SharedMemDesc, "", [MemRead<HK_SharedMemory>]>:$src,
    Arg<HK_Pointer, "", [MemWrite<HK_GlobalMemory>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` qualified(type($src)) `->` qualified(type($dst))";
}

def Toy_AwaitSendsOp : Toy_Border<"await_sends", [DeclareOpInterfaceMethods<HK_AsyncWait>]> {
  let summary = "Wait until at most `outstanding` sends are pending or, for `read`, have yet to read their tile";
  let arguments = (ins I32Attr:$outstanding, UnitAttr:$read, UnitAttr:$implied);
  let assemblyFormat = "$outstanding (`read` $read^)? (`implied` $implied^)? attr-dict";
}

// MMAs with a tile in shared memory, on the counter toy.products, each a group of its own.

def Toy_MultiplyOp : Toy_Op<"multiply", [HK_Mma, DeclareOpInterfaceMethods<HK_AsyncAccess>,
    DeclareOpInterfaceMethods<HK_AsyncCommit>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Start an MMA with a tile, accumulating in registers";
  let arguments = (ins Arg<HK_SharedMemDesc, "", [MemRead<HK_SharedMemory>]>:$tile, HK_Tensor:$acc);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$tile `,` $acc attr-dict `:` qualified(type($tile)) `,` type($acc)";
}

def Toy_AwaitProductsOp : Toy_Border<"await_products", [DeclareOpInterfaceMethods<HK_AsyncWait>]> {
  let summary = "Wait until at most `outstanding` MMAs are pending";
  let arguments = (ins I32Attr:$outstanding, UnitAttr:$implied);
  let assemblyFormat = "$outstanding (`implied` $implied^)? attr-dict";
}

// A memory of each block beside shared memory.

def Toy_BankAttr : AttrDef<Toy_Dialect, "Bank", [DeclareAttrInterfaceMethods<HK_MemorySpace>]> {
  let mnemonic = "bank";
  let summary = "memory space of 4096 bytes, ordered by toy.bank_barrier";
}
def Toy_BankMemory : Resource<"::hocket::toy::BankMemory">;

def Toy_PutOp : Toy_Op<"put"> {
  let summary = "Write a tile of registers into bank memory";
  let arguments = (ins HK_Tensor:$value, Arg<HK_MemDesc, "", [MemWrite<Toy_BankMemory>]>:$dst);
  let assemblyFormat = "$value `,` $dst attr-dict `:` type($value) `->` qualified(type($dst))";
}

def Toy_GetOp : Toy_Op<"get"> {
  let summary = "Read a tile of bank memory into registers";
  let arguments = (ins Arg<HK_MemDesc, "", [MemRead<Toy_BankMemory>]>:$src);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` type($result)";
}

def Toy_DrainOp : Toy_Op<"drain", [HK_AsyncProxyAccess]> {
  let summary = "Read a tile of bank memory through the async proxy";
  let arguments = (ins Arg<HK_MemDesc, "", [MemRead<Toy_BankMemory>]>:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}

def Toy_BankBarrierOp : Toy_Op<"bank_barrier", [MemoryEffects<[MemRead<Toy_BankMemory>, MemWrite<Toy_BankMemory>]>]> {
  let summary = "Wait for all warps of the block; their accesses of bank memory are visible afterwards";
  let assemblyFormat = "attr-dict";
}

def Toy_FetchToBankOp : Toy_Op<"fetch_to_bank", [DeclareOpInterfaceMethods<HK_AsyncAccess>]> {
  let summary = "Start copying into a tile of bank memory, on the counter toy.fetches";
  let arguments = (ins Arg<HK_Pointer, "", [MemRead<HK_GlobalMemory>]>:$src,
    Arg<HK_MemDesc, "", [MemWrite<Toy_BankMemory>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` qualified(type($src)) `->` qualified(type($dst))";
}

// Loads into bank memory that complete with a phase of a flag, a barrier in shared memory.

def Toy_LoadToBankOp : Toy_Op<"load_to_bank", [DeclareOpInterfaceMethods<HK_AsyncAccess>]> {
  let summary = "Start copying into a tile of bank memory, which completes with the current phase of a flag";
  let arguments = (ins Arg<HK_Pointer, "", [MemRead<HK_GlobalMemory>]>:$src,
    Arg<HK_MemDesc, "", [MemWrite<Toy_BankMemory>]>:$dst, HK_SharedMemDesc:$flag);
  let assemblyFormat = [{
    $src `,` $dst `,` $flag attr-dict `:` qualified(type($src)) `->` qualified(type($dst)) `,` qualified(type($flag))
  }];
}

class Toy_FlagOp<string mnemonic, list<string> methods = []>
    : Toy_Border<mnemonic, [DeclareOpInterfaceMethods<HK_SharedBarrierUse, methods>]>;

def Toy_RaiseOp : Toy_FlagOp<"raise"> {
  let summary = "Arrive at a flag after all earlier accesses of the block";
  let arguments = (ins Arg<HK_SharedMemDesc, "", [MemWrite<HK_SharedMemory>]>:$flag);
  let assemblyFormat = "$flag attr-dict `:` qualified(type($flag))";
}

def Toy_AwaitFlagOp : Toy_FlagOp<"await_flag", ["getAwaitedPhase"]> {
  let summary = "Wait for a phase of a flag";
  let arguments = (ins Arg<HK_SharedMemDesc, "", [MemRead<HK_SharedMemory>]>:$flag, I32:$parity);
  let assemblyFormat = "$flag `,` $parity attr-dict `:` qualified(type($flag))";
}

def Toy_RotateOp : Toy_Op<"rotate", [Pure, AllTypesMatch<["value", "result"]>,
    DeclareOpInterfaceMethods<HK_UsesScratch>, HK_MemoryOwner]> {
  let summary = "Pass each warp's values to the next warp";
  let arguments = (ins HK_Tensor:$value, HK_MemoryOffset:$offset);
  let results = (outs HK_Tensor:$result);
  let assemblyFormat = "$value (`offset` `=` $offset^)? attr-dict `:` type($value)";
}

def Toy_ApartOp : Toy_Op<"apart", [SingleBlock, NoTerminator, DeclareOpInterfaceMethods<HK_ConcurrentRegion>]> {
  let summary = "Run two regions concurrently, each by some of the warps";
  let regions = (region SizedRegion<1>:$first, SizedRegion<1>:$second);
  let assemblyFormat = "$first `,` $second attr-dict";
}
