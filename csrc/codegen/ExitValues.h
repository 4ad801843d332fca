//===- ExitValues.h - What only the end of a loop needs is computed there ------------===//
//
// Loop strength reduction computes a pointer that is used after a loop from one that it keeps in it, at the end of each
// trip. MachineSink would move that out, but does not run for kernels with scheduling barriers (EmitAssembly.cpp),
// whose loops would keep two scalar instructions for each such pointer.
//
//   loop:                                              loop:
//     %next = getelementptr i8, ptr %p, i64 %step        %next = getelementptr i8, ptr %p, i64 %step
//     %last = getelementptr i8, ptr %next, i64 %part ->  br i1 %again, label %loop, label %exit
//     br i1 %again, label %loop, label %end            exit:
//   end:                                                 %last = getelementptr i8, ptr %next, i64 %part
//     %l = phi ptr [ %first, %entry ], [ %last, %loop ]  br label %end
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_EXITVALUES_H
#define HOCKET_CODEGEN_EXITVALUES_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// For the time right before instruction selection: earlier, the block that an exit has for itself would be merged.
llvm::FunctionPass *createSinkExitValuesPass();

} // namespace hocket

#endif
