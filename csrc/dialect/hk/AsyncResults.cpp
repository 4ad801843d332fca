//===- AsyncResults.cpp - The interface of asynchronous results in registers ----------------------===//
#include "dialect/hk/AsyncResults.h"

#include "dialect/hk/AsyncResultInterfaces.cpp.inc"
