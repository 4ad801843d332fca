//===- HkStorageInterfaces.h - What layouts and types say of where they lie --------===//
#ifndef HOCKET_DIALECT_HK_HKSTORAGEINTERFACES_H
#define HOCKET_DIALECT_HK_HKSTORAGEINTERFACES_H

#include "dialect/hk/HkDialect.h"

#include "dialect/hk/HkStorageInterfaces.h.inc"
#include "dialect/hk/HkStorageTypeInterfaces.h.inc"

#endif
