// RUN: hocket-opt %s --split-input-file --hocket-convert-lane-to-host | FileCheck %s

module attributes {hk.target = "gfx950", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
// If no path bypasses the copies, before the loop or in it, no lane has to wait.
// CHECK: llvm.func @hocket_emulated_kernel
// CHECK-NOT: llvm.call @hocket_emulator_gather
// CHECK: llvm.return
llvm.func @copies_in_a_loop(%x: !llvm.ptr<1>, %n: i32) attributes {rocdl.kernel} {
  %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  rocdl.global.load.lds %x, %s, 16, 0, 0
  llvm.br ^loop(%zero : i32)
^loop(%i: i32):
  %more = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %more, ^body, ^end
^body:
  rocdl.global.load.lds %x, %s, 16, 0, 0
  %next = llvm.add %i, %one : i32
  llvm.br ^loop(%next : i32)
^end:
  llvm.return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
// Masked-off lanes return to the loop header around the copy.
// CHECK: llvm.func @hocket_emulated_kernel
// CHECK: ^{{.*}}(%{{.*}}: i32): {{.*}} 3 preds
// CHECK: llvm.call @hocket_emulator_gather
llvm.func @masked_copy_in_a_loop(%x: !llvm.ptr<1>, %n: i32, %mask: i1) attributes {rocdl.kernel} {
  %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^loop(%zero : i32)
^loop(%i: i32):
  %more = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %more, ^body, ^end
^body:
  %next = llvm.add %i, %one : i32
  llvm.cond_br %mask, ^copy, ^loop(%next : i32)
^copy:
  rocdl.global.load.lds %x, %s, 16, 0, 0
  llvm.br ^loop(%next : i32)
^end:
  llvm.return
}
}
