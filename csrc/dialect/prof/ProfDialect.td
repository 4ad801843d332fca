// The `prof` dialect: timestamps that a kernel records about itself.
#ifndef HOCKET_DIALECT_PROF_PROFDIALECT_TD
#define HOCKET_DIALECT_PROF_PROFDIALECT_TD

include "mlir/IR/DialectBase.td"

def Prof_Dialect : Dialect {
  let name = "prof";
  let cppNamespace = "::hocket::prof";
  let summary = "Records of the times at which warps reach points of a kernel.";
  let description = [{
    The dialect has two levels. Users, and the pass that records stages, insert records among tile operations:

    ```mlir
    prof.record begin "load"
    ..
    prof.record end "load"
    ```

    Before tiles become registers, a kernel with a record gets one buffer, and operations around its body:

    ```mlir
    %b = prof.buffer_alloc : !hk.memdesc<4x128xi32, #prof.records<device>>
    prof.init %b : ..
    ..
    prof.finalize %b : ..
    prof.buffer_dealloc %b : ..
    ```

    Records belong to warps and not to tiles, so they pass unchanged through all conversions and become lane form in
    one conversion at the end. They have no buffer operand: a kernel has only one buffer, and workers of
    `hk.warp_specialize` would otherwise have to capture it. No operation waits for other warps, at any level:
    instruction schedules and barriers do not change.

    `docs/profiling_format.md` has the layout of the buffer, `docs/profiling_compiler.md` the passes.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::hocket::hk::HkDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    /// Module attribute, a #prof.config: the kernel is profiled.
    static constexpr llvm::StringLiteral kConfigAttr = "prof.config";
    /// Module attribute set by NumberSites: an array of #prof.site, by number.
    static constexpr llvm::StringLiteral kSitesAttr = "prof.sites";
    /// Module attribute, a string: the facts that the host reads, as JSON.
    static constexpr llvm::StringLiteral kFactsAttr = "prof.facts";
    /// Unit attribute of the implicit argument that is the buffer.
    static constexpr llvm::StringLiteral kBufferAttr = "prof.buffer";
    /// Module attributes for the runtime: bytes of a block's records; the name of the variable that holds the records,
    /// if they are static; and the number of blocks that it has room for.
    static constexpr llvm::StringLiteral kBlockBytesAttr = "prof.bytes_per_cta", kVariableAttr = "prof.variable",
                                         kBlocksAttr = "prof.max_ctas";
  }];
}

#endif
