//===- Predicated.cpp - The interface of operations under a predicate -----------------------------===//
#include "dialect/hk/facts/Predicated.h"

#include "dialect/hk/facts/PredicateInterfaces.cpp.inc"
