//===- HkStorageInterfaces.cpp - Interfaces for alignment and storage of layouts and types -===//
#include "dialect/hk/facts/HkStorageInterfaces.h"

#include "dialect/hk/facts/HkStorageInterfaces.cpp.inc"
#include "dialect/hk/facts/HkStorageTypeInterfaces.cpp.inc"
