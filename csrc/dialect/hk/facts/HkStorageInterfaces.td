// Interfaces for alignment and storage of layouts and types. Users include HkStorageInterfaces.h.
#ifndef HOCKET_DIALECT_HK_FACTS_HKSTORAGEINTERFACES_TD
#define HOCKET_DIALECT_HK_FACTS_HKSTORAGEINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_AlignedLayout : AttrInterface<"AlignedLayout"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A shared layout whose buffers need an alignment of more than 16 bytes, because hardware that accesses the buffers
    swizzles according to address bits.
  }];
  let methods = [
    InterfaceMethod<"Returns the alignment of a buffer in bytes, a power of two.", "int64_t", "getAlignment">,
  ];
}

def HK_PassedInMemory : TypeInterface<"PassedInMemory"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    The type of a kernel argument that is wider than a register: the launch copies the argument into memory, and the
    kernel receives its address.
  }];
  let methods = [
    InterfaceMethod<"Returns the size in bytes.", "int64_t", "getPassedBytes">,
    InterfaceMethod<"Returns the alignment in bytes of the argument's address.", "int64_t", "getPassedAlignment">,
  ];
}

#endif
