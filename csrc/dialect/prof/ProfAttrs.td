// Attributes of the `prof` dialect: the profiler's options, memory of records, and source locations of records.
#ifndef HOCKET_DIALECT_PROF_PROFATTRS_TD
#define HOCKET_DIALECT_PROF_PROFATTRS_TD

include "dialect/hk/ir/HkAttrs.td"
include "dialect/prof/ProfEnums.td"

def Prof_ConfigAttr : AttrDef<Prof_Dialect, "Config"> {
  let mnemonic = "config";
  let summary = "options of the profiler";
  let description = [{
    The attribute holds the launch option `profile`. `units` selects the warps that keep records: every warp, the first
    of each four, or warp 0. If `warps` is not empty, a selected warp keeps records only if `warps` contains it. A warp
    that keeps records is called a *unit*. `bytes` is the size of the records of one unit; with 0, the compiler chooses
    the size. With `stages`, the compiler itself inserts records of the stages of warp pipelines, the partitions and the
    lifetimes of warps. `waits` inserts records of waits for barriers: always, never, or in kernels that have no records
    of their own (auto). `max_ctas` is the number of blocks whose records fit into a static buffer.

    C1: `clock` is 32 or 44.
    C2: `bytes` is 0, or a power of two from 16 to 2^24.
    C3: `warps` are not negative, and in ascending order.
    C4: `max_ctas` is at least 1 if `space` is static, and 0 otherwise.
    C5: the space is auto or shared if the policy is flush.

    ```mlir
    #prof.config<auto, circular, clock = 32, units = warp, warps = [0, 4], bytes = 512, stages = true, max_ctas = 0,
                 waits = auto>
    ```
  }];
  let parameters = (ins EnumParameter<Prof_Space>:$space, EnumParameter<Prof_Policy>:$policy, "int64_t":$clock,
    EnumParameter<Prof_Units>:$units, OptionalArrayRefParameter<"int64_t">:$warps, "int64_t":$bytes, "bool":$stages,
    "int64_t":$maxCtas, DefaultValuedParameter<"Waits", "Waits::Never">:$waits);
  let assemblyFormat = [{
    `<` $space `,` $policy `,` `clock` `=` $clock `,` `units` `=` $units `,` `warps` `=` `[` (`]`) : ($warps^ `]`)? `,`
    `bytes` `=` $bytes `,` `stages` `=` $stages `,` `max_ctas` `=` $maxCtas
    (`,` `waits` `=` $waits^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Prof_RecordsAttr : HK_LayoutAttr<Prof_Dialect, "Records", "records", "", [DeclareAttrInterfaceMethods<HK_SharedLayout>]> {
  let summary = "memory for the records of a kernel, with one circular buffer for each recorded warp";
  let description = [{
    The attribute is the layout of the record buffer, which is a memory descriptor. The layout determines the memory:
    shared memory, device memory that the launch passes, or a variable of the module. Each element of the descriptor's
    leading dimension holds the words of one recorded warp of a block.

    C1: the space is not auto.

    ```mlir
    !hk.memdesc<4x128xi32, #prof.records<device>>
    ```
  }];
  let parameters = (ins EnumParameter<Prof_Space>:$space);
  let assemblyFormat = "`<` $space `>`";
  let genVerifyDecl = 1;
}

def Prof_SiteAttr : AttrDef<Prof_Dialect, "Site"> {
  let mnemonic = "site";
  let summary = "source location whose code writes records";
  let description = [{
    ```mlir
    #prof.site<"load", scope, parent = -1, file = "kernel.py", line = 12, stage = -1, payload = false, exclusive = false>
    ```

    `stage` is the number of the stage in its warp pipeline, or -1 if the site is not a stage. If `exclusive` is true,
    only one of the pipeline's two groups of warps executes the stage at a time.
  }];
  let parameters = (ins StringRefParameter<>:$name, EnumParameter<Prof_SiteKind>:$kind, "int64_t":$parent,
    StringRefParameter<>:$file, "int64_t":$line, "int64_t":$stage, "bool":$payload, "bool":$exclusive);
  let assemblyFormat = [{
    `<` $name `,` $kind `,` `parent` `=` $parent `,` `file` `=` $file `,` `line` `=` $line `,` `stage` `=` $stage `,`
    `payload` `=` $payload `,` `exclusive` `=` $exclusive `>`
  }];
}

#endif
