//===- LlvmInternals.h - Names of LLVM's internals that Hocket relies on -----------------------===//
//
// LLVM installs no header with AMD's opcodes, and identifies its passes and developer options by strings. This file
// contains all strings that name opcodes, passes or options of LLVM. tests/unit/codegen/llvm/LlvmInternalsTest.cpp
// checks that each string exists in the linked LLVM. Without the test, a pass could silently do nothing in another
// version of LLVM.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_LLVM_LLVMINTERNALS_H
#define HOCKET_CODEGEN_LLVM_LLVMINTERNALS_H

#include "llvm/ADT/StringRef.h"

namespace hocket::llvm_names {

// Names of AMDGPU opcodes, as TargetInstrInfo::getName returns them.
inline constexpr llvm::StringLiteral kPackF16 = "V_PACK_B32_F16_e64";
inline constexpr llvm::StringLiteral kRoundToF16 = "V_CVT_F16_F32_e64";
inline constexpr llvm::StringLiteral kRoundToF16Sdwa = "V_CVT_F16_F32_sdwa";
inline constexpr llvm::StringLiteral kSetPriority = "S_SETPRIO";
inline constexpr llvm::StringLiteral kSchedBarrier = "SCHED_BARRIER";
inline constexpr llvm::StringLiteral kSelect = "V_CNDMASK_B32_e64";
inline constexpr llvm::StringLiteral kOpcodes[] = {kPackF16,     kRoundToF16,   kRoundToF16Sdwa,
                                                   kSetPriority, kSchedBarrier, kSelect};

// Prefixes of the names of AMDGPU opcodes.
inline constexpr llvm::StringLiteral kMfma = "V_MFMA", kSparseMfma = "V_SMFMAC";
inline constexpr llvm::StringLiteral kLds = "DS_", kVector = "V_", kCompare = "V_CMP_";
inline constexpr llvm::StringLiteral kTranscendental[] = {"V_EXP_",  "V_LOG_", "V_RCP_", "V_RSQ_",
                                                          "V_SQRT_", "V_SIN_", "V_COS_"};
inline constexpr llvm::StringLiteral kOpcodePrefixes[] = {kMfma, kSparseMfma, kLds, kVector, kCompare};

/// Prefix of the names of MFMA intrinsics, and the name of the scheduling barrier intrinsic, in LLVM IR.
inline constexpr llvm::StringLiteral kMfmaIntrinsic = "llvm.amdgcn.mfma";
inline constexpr llvm::StringLiteral kSchedBarrierIntrinsic = "llvm.amdgcn.sched.barrier";

// Code generation passes, as LLVM names them in OptPassGate::shouldRunPass: by the argument of a registered pass, or by
// the name of any other pass.
inline constexpr llvm::StringLiteral kMachineScheduler = "machine-scheduler", kPostRaScheduler = "postmisched";
inline constexpr llvm::StringLiteral kLoadStoreVectorizer = "load-store-vectorizer", kGvn = "gvn";
inline constexpr llvm::StringLiteral kNaryReassociate = "nary-reassociate", kStrengthReduction = "slsr";
inline constexpr llvm::StringLiteral kLicm = "Loop Invariant Code Motion";
inline constexpr llvm::StringLiteral kCanonicalizeFreeze = "Canonicalize Freeze Instructions in Loops";
inline constexpr llvm::StringLiteral kEarlyCse = "early-cse", kMachineCse = "machine-cse";
inline constexpr llvm::StringLiteral kMachineCopyPropagation = "machine-cp";
inline constexpr llvm::StringLiteral kDeadMachineInstructions = "dead-mi-elimination";
inline constexpr llvm::StringLiteral kCodegenPasses[] = {kMachineScheduler,
                                                         kPostRaScheduler,
                                                         kLoadStoreVectorizer,
                                                         kGvn,
                                                         kNaryReassociate,
                                                         kStrengthReduction,
                                                         kLicm,
                                                         kCanonicalizeFreeze,
                                                         kEarlyCse,
                                                         kMachineCse,
                                                         kMachineCopyPropagation,
                                                         kDeadMachineInstructions};

// Class names of passes of LLVM's optimization pipeline.
inline constexpr llvm::StringLiteral kSlpVectorizer = "SLPVectorizerPass";
inline constexpr llvm::StringLiteral kUniformIntrinsicCombine = "AMDGPUUniformIntrinsicCombinePass";
inline constexpr llvm::StringLiteral kOptimizerPasses[] = {kSlpVectorizer, kUniformIntrinsicCombine};

// LLVM's developer options.
inline constexpr llvm::StringLiteral kHugeFunctionOption = "cgpp-huge-func";
inline constexpr llvm::StringLiteral kGvnVisitedOption = "gvn-max-num-visited-insts";
inline constexpr llvm::StringLiteral kOptions[] = {kHugeFunctionOption, kGvnVisitedOption};

} // namespace hocket::llvm_names

#endif
