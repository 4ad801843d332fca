// RUN: hocket-opt %s --hocket-convert-lane-to-nvvm --verify-diagnostics
//
// Operations without an instruction of the target are refused here: LLVM would abort.

llvm.func @of_the_other_vendor(%x: !llvm.ptr<1>, %s: !llvm.ptr<3>) {
  // expected-error @below {{'rocdl.global.load.lds' cannot be expanded for NVIDIA GPUs}}
  rocdl.global.load.lds %x, %s, 4, 0, 0
  llvm.return
}
