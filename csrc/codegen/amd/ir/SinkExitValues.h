//===- SinkExitValues.h - Moves values that only a loop's exit needs out of the loop -----------===//
//
// If a pointer is used after a loop, loop strength reduction computes this pointer at the end of each iteration, from
// another pointer that a phi carries through the loop. LLVM's MachineSink would move this computation out of the loop,
// but Hocket disables MachineSink for kernels with scheduling barriers (amd/Passes.cpp). Without this pass, the loops
// of these kernels would have two additional scalar instructions for each such pointer.
//
//   loop:                                              loop:
//     %next = getelementptr i8, ptr %p, i64 %step        %next = getelementptr i8, ptr %p, i64 %step
//     %last = getelementptr i8, ptr %next, i64 %part ->  br i1 %again, label %loop, label %exit
//     br i1 %again, label %loop, label %end            exit:
//   end:                                                 %last = getelementptr i8, ptr %next, i64 %part
//     %l = phi ptr [ %first, %entry ], [ %last, %loop ]  br label %end
//
// Why LLVM does not do this: MachineSink is disabled for these kernels, because MachineSink also moves loads across
// scheduling barriers.
//
// Gain (docs/lab/isa.md): without this pass, 24 loops with scheduling barriers have 0.6 % more instructions on average,
// and at most 1 %. By the schedule model, iterations of these loops then take 0.1 % more clocks on gfx950, and 0.6 %
// fewer clocks on gfx942.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_CODEGEN_AMD_IR_SINKEXITVALUES_H
#define HOCKET_CODEGEN_AMD_IR_SINKEXITVALUES_H

namespace llvm {
class FunctionPass;
}

namespace hocket {

/// Creates the pass, which must run directly before instruction selection: an earlier pass would merge the basic block
/// that this pass inserts on a loop's exit edge with its successor.
llvm::FunctionPass *createSinkExitValuesPass();

} // namespace hocket

#endif
