// The `prof` dialect: what a kernel writes down about its own time.
#ifndef HOCKET_DIALECT_PROF_PROFDIALECT_TD
#define HOCKET_DIALECT_PROF_PROFDIALECT_TD

include "mlir/IR/DialectBase.td"

def Prof_Dialect : Dialect {
  let name = "prof";
  let cppNamespace = "::hocket::prof";
  let summary = "Records of what each warp does when.";
  let description = [{
    Two levels. What users and the pass for automatic stages place stands among tiles:

    ```mlir
    prof.record begin "load"
    ..
    prof.record end "load"
    ```

    Before tiles become registers, a kernel that has a record gets one buffer, and operations around its body:

    ```mlir
    %b = prof.buffer_alloc : !hk.memdesc<4x128xi32, #prof.records<device>>
    prof.init %b : ..
    ..
    prof.finalize %b : ..
    prof.buffer_dealloc %b : ..
    ```

    Records pass through all conversions as they are, for they are about warps and not about tiles, and become lane form
    in one conversion. They name no buffer, as a kernel has only one: workers of `hk.warp_specialize` would have to be
    handed it. No operation waits for other warps, at any level: neither schedules nor barriers change.

    `docs/profiling_format.md` has the layout of the buffer, `docs/profiling_compiler.md` the passes.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::hocket::hk::HkDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    /// Module attribute, a #prof.config: the kernel is to be profiled.
    static constexpr llvm::StringLiteral kConfigAttr = "prof.config";
    /// Module attribute set by NumberSites: an array of #prof.site, by number.
    static constexpr llvm::StringLiteral kSitesAttr = "prof.sites";
    /// Module attribute, a string: the facts that the host reads, as JSON.
    static constexpr llvm::StringLiteral kFactsAttr = "prof.facts";
    /// Unit attribute of the implicit argument that is the buffer.
    static constexpr llvm::StringLiteral kBufferAttr = "prof.buffer";
    /// On the module, for the runtime: bytes of a block's records; the name of the variable that they go to, if they do,
    /// and how many blocks have room there.
    static constexpr llvm::StringLiteral kBlockBytesAttr = "prof.bytes_per_cta", kVariableAttr = "prof.variable",
                                         kBlocksAttr = "prof.max_ctas";
  }];
}

#endif
