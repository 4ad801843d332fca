// Enumerations of the `prof` dialect.
#ifndef HOCKET_DIALECT_PROF_PROFENUMS_TD
#define HOCKET_DIALECT_PROF_PROFENUMS_TD

include "dialect/prof/ProfDialect.td"
include "mlir/IR/EnumAttr.td"

class Prof_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::hocket::prof";
  let genSpecializedAttr = 0;
}

// The two highest bits of a record hold its kind.
def Prof_RecordKind : Prof_Enum<"RecordKind", "kind of a record", [
  I32EnumAttrCase<"Begin", 0, "begin">, I32EnumAttrCase<"End", 1, "end">, I32EnumAttrCase<"Mark", 2, "mark">]>;
def Prof_RecordKindAttr : EnumAttr<Prof_Dialect, Prof_RecordKind, "kind">;

def Prof_SiteKind : Prof_Enum<"SiteKind", "kind of the records of a site", [
  I32EnumAttrCase<"Scope", 0, "scope">, I32EnumAttrCase<"Stage", 1, "stage">, I32EnumAttrCase<"Partition", 2, "partition">,
  I32EnumAttrCase<"Warp", 3, "warp">, I32EnumAttrCase<"Mark", 4, "mark">, I32EnumAttrCase<"Token", 5, "token">,
  I32EnumAttrCase<"Flush", 6, "flush">]>;
def Prof_SiteKindAttr : EnumAttr<Prof_Dialect, Prof_SiteKind, "site_kind">;

// `static`: records are in a global variable of the module; `device`: records are in memory that the launch passes.
def Prof_Space : Prof_Enum<"Space", "memory that collects records", [
  I32EnumAttrCase<"Auto", 0, "auto">, I32EnumAttrCase<"Shared", 1, "shared">, I32EnumAttrCase<"Device", 2, "device">,
  I32EnumAttrCase<"Static", 3, "static">]>;

// `flush`: the kernel moves full segments of records from shared memory to device memory while it runs.
def Prof_Policy : Prof_Enum<"Policy", "policy if the buffer has no room for a record", [
  I32EnumAttrCase<"Circular", 0, "circular">, I32EnumAttrCase<"KeepFirst", 1, "keep_first">,
  I32EnumAttrCase<"Flush", 2, "flush">]>;

// `auto`: the profiler records waits as scopes only in kernels in which the user has written no scopes or tokens.
def Prof_Waits : Prof_Enum<"Waits", "waits for barriers that become scopes", [
  I32EnumAttrCase<"Never", 0, "never">, I32EnumAttrCase<"Always", 1, "always">, I32EnumAttrCase<"Auto", 2, "auto">]>;

def Prof_Units : Prof_Enum<"Units", "units that keep records", [
  I32EnumAttrCase<"Warp", 0, "warp">, I32EnumAttrCase<"Group", 1, "group">, I32EnumAttrCase<"Cta", 2, "cta">]>;

#endif
