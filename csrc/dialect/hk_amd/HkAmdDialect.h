//===- HkAmdDialect.h - The `hk_amd` dialect --------------------------------------===//
//
// Includes all attributes and operations of the dialect.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_AMD_HKAMDDIALECT_H
#define HOCKET_DIALECT_HK_AMD_HKAMDDIALECT_H

#include "dialect/hk/ir/HkDialect.h"
#include "layout/MfmaLayouts.h"

#include "dialect/hk_amd/HkAmdDialect.h.inc"
#include "dialect/hk_amd/HkAmdEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/hk_amd/HkAmdAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialect/hk_amd/HkAmdOps.h.inc"

#endif
