//===- ToyDialect.h - A dialect for tests of interfaces -----------------------------------===//
#ifndef HOCKET_TESTS_UNIT_TOY_DIALECT_TOYDIALECT_H
#define HOCKET_TESTS_UNIT_TOY_DIALECT_TOYDIALECT_H

#include "dialect/hk/ir/HkDialect.h"

#include "ToyDialect.h.inc"

#define GET_OP_CLASSES
#include "ToyOps.h.inc"

#endif
