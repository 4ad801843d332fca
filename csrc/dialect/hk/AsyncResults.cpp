//===- AsyncResults.cpp - The interface of results that arrive later ------------------------------===//
#include "dialect/hk/AsyncResults.h"

#include "dialect/hk/AsyncResultInterfaces.cpp.inc"
