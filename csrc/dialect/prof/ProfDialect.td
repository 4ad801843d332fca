// The `prof` dialect: timestamps that a kernel records while it runs.
#ifndef HOCKET_DIALECT_PROF_PROFDIALECT_TD
#define HOCKET_DIALECT_PROF_PROFDIALECT_TD

include "mlir/IR/DialectBase.td"

def Prof_Dialect : Dialect {
  let name = "prof";
  let cppNamespace = "::hocket::prof";
  let summary = "Records of the times at which warps reach points of a kernel.";
  let description = [{
    The dialect has two levels. At the first level, users and the pass that records stages insert records among tile
    operations:

    ```mlir
    prof.record begin "load"
    ..
    prof.record end "load"
    ```

    At the second level, before tiles become registers, a pass allocates one buffer for a kernel that has records, and
    inserts operations at the begin and end of the kernel's body:

    ```mlir
    %b = prof.buffer_alloc : !hk.memdesc<4x128xi32, #prof.records<device>>
    prof.init %b : ..
    ..
    prof.finalize %b : ..
    prof.buffer_dealloc %b : ..
    ```

    Records belong to warps and not to tiles, so they pass unchanged through all conversions and become lane form in one
    conversion at the end. Records have no buffer operand: a kernel has only one buffer, and workers of
    `hk.warp_specialize` would otherwise have to capture the buffer. No operation of the dialect waits for other warps,
    so records add no barriers.

    `docs/profiling_format.md` describes the layout of the buffer, `docs/profiling_compiler.md` the passes.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::hocket::hk::HkDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    /// Module attribute, a #prof.config: the profiler's options. A kernel without this attribute is not profiled.
    static constexpr llvm::StringLiteral kConfigAttr = "prof.config";
    /// Module attribute set by NumberSites: an array of #prof.site. The number of a site is its index in the array.
    static constexpr llvm::StringLiteral kSitesAttr = "prof.sites";
    /// Module attribute, a JSON string: the facts with which the host decodes the records.
    static constexpr llvm::StringLiteral kFactsAttr = "prof.facts";
    /// Unit attribute of the implicit argument that is the address of the buffer of records.
    static constexpr llvm::StringLiteral kBufferAttr = "prof.buffer";
    /// Module attributes for the runtime: the bytes of a block's records; if the records are in a variable of the
    /// module, the name of the variable, and the number of blocks whose records fit into the variable.
    static constexpr llvm::StringLiteral kBlockBytesAttr = "prof.bytes_per_cta", kVariableAttr = "prof.variable",
                                         kBlocksAttr = "prof.max_ctas";
  }];
}

#endif
