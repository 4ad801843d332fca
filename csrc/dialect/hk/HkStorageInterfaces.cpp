//===- HkStorageInterfaces.cpp - What layouts and types say of where they lie ------===//
#include "dialect/hk/HkStorageInterfaces.h"

#include "dialect/hk/HkStorageInterfaces.cpp.inc"
#include "dialect/hk/HkStorageTypeInterfaces.cpp.inc"
