//===- ProfDialect.h - The `prof` dialect -----------------------------------------===//
//
// Includes all attributes and operations of the dialect, and declares its discardable attributes with their types.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_PROF_PROFDIALECT_H
#define HOCKET_DIALECT_PROF_PROFDIALECT_H

#include "dialect/hk/facts/Fact.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/prof/RecordLayout.h"

#include "dialect/prof/ProfDialect.h.inc"
#include "dialect/prof/ProfEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/prof/ProfAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialect/prof/ProfOps.h.inc"

namespace hocket::prof {

/// Module attribute: options of the profiler. Present if the kernel is profiled.
inline constexpr hk::Fact<ConfigAttr> kConfigAttr{"prof.config"};

/// Module attribute set by NumberSites: list of the #prof.site attributes, indexed by site number.
inline constexpr hk::ListFact<SiteAttr> kSitesAttr{"prof.sites"};

/// Module attribute: JSON text that the host needs to decode the records.
inline constexpr hk::TextFact kFactsAttr{"prof.facts"};

/// Argument attribute: marks the implicit argument that is the buffer of the records.
inline constexpr hk::FlagFact kBufferAttr{"prof.buffer"};

/// Module attributes for the runtime: size in bytes of the records of a block; name of the variable that contains
/// static records; number of blocks whose records fit into this variable.
inline constexpr hk::IntFact kBlockBytesAttr{"prof.bytes_per_cta", 64};
inline constexpr hk::TextFact kVariableAttr{"prof.variable"};
inline constexpr hk::IntFact kBlocksAttr{"prof.max_ctas", 64};

} // namespace hocket::prof

#endif
