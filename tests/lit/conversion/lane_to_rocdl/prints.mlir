// RUN: hocket-opt %s --hocket-convert-lane-to-rocdl --verify-diagnostics

llvm.func @f(%i: i32) {
  // expected-error@+1 {{device_print is not supported on AMD GPUs, only on the emulated ones}}
  lane.print "{d}" [] of %i : i32
  llvm.return
}
