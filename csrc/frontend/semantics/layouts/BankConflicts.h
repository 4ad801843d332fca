//===- BankConflicts.h - Bank conflicts between two types of the language ----------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_BANKCONFLICTS_H
#define HOCKET_FRONTEND_SEMANTICS_BANKCONFLICTS_H

#include "layout/BankConflicts.h"
#include "mlir/IR/MLIRContext.h"
#include "target/TargetInfo.h"
#include <pybind11/pybind11.h>
#include <stdexcept>

namespace hocket::frontend {

/// Arguments of bank_conflicts: the types of a tensor and of shared memory (objects of hocket.language), "load" or
/// "store".
struct BankQuestion {
  pybind11::handle tensorType, sharedType, access;
};

/// Thrown for invalid arguments.
struct BankQuestionError : std::runtime_error {
  BankQuestionError(unsigned argument, const std::string &message, std::string hint = {})
      : std::runtime_error(message), argument(argument), hint(std::move(hint)) {}
  unsigned argument; ///< index of the invalid parameter of bank_conflicts
  std::string hint;
};

/// Returns the wavefronts of each warp when all warps of the block access the tile once. Throws BankQuestionError.
/// `context` has the dialects of layouts loaded.
std::vector<Wavefronts> answer(mlir::MLIRContext *context, const BankQuestion &question, const TargetInfo &target);

/// Returns the phases in which `warp` accesses the tile once. Throws BankQuestionError.
std::vector<Phase> phasesOf(mlir::MLIRContext *context, const BankQuestion &question, int32_t warp,
                            const TargetInfo &target);

/// Throws BankQuestionError for an unknown name.
const TargetInfo &targetNamed(const std::string &name);

/// Returns the result of gl.bank_conflicts: the extra wavefronts of the warp with the most.
int64_t mostExtra(const std::vector<Wavefronts> &warps);

} // namespace hocket::frontend

#endif
