//===- HkStorageInterfaces.h - Interfaces for alignment and storage of layouts and types -===//
#ifndef HOCKET_DIALECT_HK_FACTS_HKSTORAGEINTERFACES_H
#define HOCKET_DIALECT_HK_FACTS_HKSTORAGEINTERFACES_H

#include "dialect/hk/ir/HkDialect.h"

#include "dialect/hk/facts/HkStorageInterfaces.h.inc"
#include "dialect/hk/facts/HkStorageTypeInterfaces.h.inc"

#endif
