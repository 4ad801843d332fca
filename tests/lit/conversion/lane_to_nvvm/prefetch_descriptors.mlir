// RUN: hocket-opt %s --hocket-prefetch-descriptors | FileCheck %s

// One thread prefetches the descriptors of the copies at the kernel entry.
// CHECK-LABEL: llvm.func @load
// CHECK-SAME: (%[[IN:[a-z0-9]+]]: !llvm.ptr {{{[^}]+}}}, %[[OUT:[a-z0-9]+]]: !llvm.ptr {{{[^}]+}}}, %arg2
// CHECK-NEXT: %[[TID:.+]] = nvvm.read.ptx.sreg.tid.x
// CHECK-NEXT: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT: %[[FIRST:.+]] = llvm.icmp "eq" %[[TID]], %[[ZERO]]
// CHECK-NEXT: llvm.cond_br %[[FIRST]], ^[[ASK:bb[0-9]+]], ^[[REST:bb[0-9]+]]
// CHECK-NEXT: ^[[ASK]]:
// CHECK-NEXT: nvvm.prefetch tensormap in_param_space, %[[IN]] : !llvm.ptr
// CHECK-NEXT: nvvm.prefetch tensormap in_param_space, %[[OUT]] : !llvm.ptr
// CHECK-NEXT: llvm.br ^[[REST]]
// CHECK-NEXT: ^[[REST]]:
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.shared.cluster.global
llvm.func @load(%in: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
                %out: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
                %other: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
                %to: !llvm.ptr<7>, %tile: !llvm.ptr<3>, %bar: !llvm.ptr<3>, %i: i32) attributes {nvvm.kernel} {
  nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %in, %bar, box[%i, %i] : !llvm.ptr<7>, !llvm.ptr
  nvvm.cp.async.bulk.tensor.global.shared.cta %out, %tile, box[%i, %i] : !llvm.ptr, !llvm.ptr<3>
  llvm.return
}

// CHECK-LABEL: llvm.func @without
// CHECK-NOT: prefetch
llvm.func @without(%in: !llvm.ptr<1>) attributes {nvvm.kernel} {
  llvm.return
}
