//===- AsyncResults.cpp - The interface of asynchronous results in registers ----------------------===//
#include "dialect/hk/facts/AsyncResults.h"

#include "dialect/hk/facts/AsyncResultInterfaces.cpp.inc"
