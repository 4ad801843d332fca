//===- HkStorageInterfaces.cpp - Interfaces for alignment and storage of layouts and types -===//
#include "dialect/hk/HkStorageInterfaces.h"

#include "dialect/hk/HkStorageInterfaces.cpp.inc"
#include "dialect/hk/HkStorageTypeInterfaces.cpp.inc"
