// What layouts and types may say of where they lie in memory. HkStorageInterfaces.h is included by those who ask.
#ifndef HOCKET_DIALECT_HK_HKSTORAGEINTERFACES_TD
#define HOCKET_DIALECT_HK_HKSTORAGEINTERFACES_TD

include "mlir/IR/OpBase.td"

def HK_AlignedLayout : AttrInterface<"AlignedLayout"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A shared layout whose buffers must begin at multiples of more than 16 bytes: hardware that looks at the bits of
    addresses reads or writes them.
  }];
  let methods = [
    InterfaceMethod<"What the address of a buffer must be a multiple of, in bytes: a power of two.", "int64_t",
                    "getAlignment">,
  ];
}

def HK_PassedInMemory : TypeInterface<"PassedInMemory"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    An argument of a kernel that is wider than a register: the launch puts it into memory, and the kernel is given its
    address.
  }];
  let methods = [
    InterfaceMethod<"Its bytes.", "int64_t", "getPassedBytes">,
    InterfaceMethod<"What its address is a multiple of, in bytes.", "int64_t", "getPassedAlignment">,
  ];
}

#endif
