// RUN: hocket-opt %s --hocket-convert-lane-to-rocdl --verify-diagnostics

// hocket-write-messages must have lowered every print before (write_messages.mlir).
llvm.func @f(%i: i32) {
  // expected-error@+1 {{cannot convert a lane.print; run hocket-write-messages first}}
  lane.print "{d}" [] of %i : i32
  llvm.return
}
