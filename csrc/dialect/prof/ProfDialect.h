//===- ProfDialect.h - The `prof` dialect -----------------------------------------===//
//
// Includes all attributes and operations of the dialect.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_PROF_PROFDIALECT_H
#define HOCKET_DIALECT_PROF_PROFDIALECT_H

#include "dialect/hk/ir/HkDialect.h"
#include "dialect/prof/RecordLayout.h"

#include "dialect/prof/ProfDialect.h.inc"
#include "dialect/prof/ProfEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/prof/ProfAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialect/prof/ProfOps.h.inc"

#endif
