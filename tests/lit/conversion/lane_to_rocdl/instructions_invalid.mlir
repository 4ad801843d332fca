// RUN: hocket-opt %s --hocket-gpu-pipeline-gfx942 --split-input-file --verify-diagnostics
//
// Operations without an instruction of the target are refused here: LLVM would abort.

module attributes {hk.target = "gfx942", hk.num_warps = 4 : i32} {
llvm.func @wide(%x: !llvm.ptr<1>, %s: !llvm.ptr<3>) {
  // expected-error @below {{rocdl.global.load.lds copies 4 bytes per lane on gfx942, not 16}}
  rocdl.global.load.lds %x, %s, 16, 0, 0
  llvm.return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
llvm.func @odd(%x: !llvm.ptr<1>, %s: !llvm.ptr<3>) {
  // expected-error @below {{rocdl.load.to.lds copies 4 or 16 bytes per lane on gfx950, not 5}}
  rocdl.load.to.lds %x, %s, 5, 0, 0 : !llvm.ptr<1>
  llvm.return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
llvm.func @of_any_size(%rsrc: !llvm.ptr<8>, %s: !llvm.ptr<3>, %n: i32) {
  // expected-error @below {{rocdl.raw.ptr.buffer.load.lds needs a constant size}}
  rocdl.raw.ptr.buffer.load.lds %rsrc, %s, %n, %n, %n, %n, %n
  llvm.return
}
}

// -----

module attributes {hk.target = "gfx942", hk.num_warps = 4 : i32} {
llvm.func @of_the_other_vendor() {
  // expected-error @below {{'nvvm.read.ptx.sreg.tid.x' cannot be expanded for AMD GPUs}}
  %0 = nvvm.read.ptx.sreg.tid.x : i32
  llvm.return
}
}
