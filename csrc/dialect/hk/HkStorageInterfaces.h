//===- HkStorageInterfaces.h - Interfaces for alignment and storage of layouts and types -===//
#ifndef HOCKET_DIALECT_HK_HKSTORAGEINTERFACES_H
#define HOCKET_DIALECT_HK_HKSTORAGEINTERFACES_H

#include "dialect/hk/HkDialect.h"

#include "dialect/hk/HkStorageInterfaces.h.inc"
#include "dialect/hk/HkStorageTypeInterfaces.h.inc"

#endif
