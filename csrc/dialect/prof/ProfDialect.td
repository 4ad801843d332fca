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
    inserts operations at the beginning and end of the kernel's body:

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
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::hocket::hk::HkDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif
