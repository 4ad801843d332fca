// RUN: hocket-opt %s --hocket-convert-lane-to-host | FileCheck %s

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// CHECK: llvm.func @hocket_emulated_kernel(%[[LANE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
llvm.func @count(%n: i32) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  // CHECK: llvm.br ^[[LOOP:.*]](
  llvm.br ^loop(%zero : i32)
^loop(%i: i32):
  // CHECK: ^[[LOOP]](
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr inbounds %[[LANE]][28]
  // CHECK: %[[LEFT:.*]] = llvm.load %[[FIELD]]
  // CHECK: %[[NOW:.*]] = llvm.sub %[[LEFT]]
  // CHECK: llvm.store %[[NOW]], %[[FIELD]]
  // CHECK: %[[DUE:.*]] = llvm.icmp "slt" %[[NOW]]
  // CHECK: llvm.cond_br %[[DUE]] weights([1, 1024]), ^[[TICK:.*]], ^[[REST:.*]]
  // CHECK: ^[[TICK]]:
  // CHECK-NEXT: llvm.call @hocket_emulator_tick(%[[LANE]])
  // CHECK-NEXT: llvm.br ^[[REST]]
  // CHECK: ^[[REST]]:
  // CHECK-NEXT: llvm.cond_br %{{.*}}, ^[[LOOP]](
  %next = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^loop(%next : i32), ^end
^end:
  llvm.return
}
}
