// RUN: hocket-opt %s --hocket-convert-lane-to-nvvm | FileCheck %s

// CHECK-LABEL: llvm.func @instructions
llvm.func @instructions(%p: !llvm.ptr<1>, %c: i1, %f: f32, %i: i32, %l: i64, %h: f16) {
  // CHECK: llvm.inline_asm has_side_effects "@$3 atom.relaxed.gpu.global.add.f32 $0, [$1], $2;", "=f,l,f,b"
  %0 = lane.atomic_rmw fadd relaxed gpu, %p, %f, pred %c : !llvm.ptr<1>, f32
  // CHECK: "atom.acq_rel.sys.global.min.s32 $0, [$1], $2;", "=r,l,r"
  %1 = lane.atomic_rmw min acq_rel sys, %p, %i : !llvm.ptr<1>, i32
  // CHECK: "atom.release.cta.global.max.u64 $0, [$1], $2;", "=l,l,l"
  %2 = lane.atomic_rmw umax release cta, %p, %l : !llvm.ptr<1>, i64
  // CHECK: "atom.acquire.gpu.global.add.noftz.f16 $0, [$1], $2;", "=h,l,h"
  %3 = lane.atomic_rmw fadd acquire gpu, %p, %h : !llvm.ptr<1>, f16
  // CHECK: "@$4 atom.acq_rel.gpu.global.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r,b"
  %4 = lane.atomic_cas acq_rel gpu, %p, %i, %i, pred %c : !llvm.ptr<1>, i32
  llvm.return
}

// bf16 atomics exist on some targets only, so LLVM selects them. It drops the ordering, so fences surround them.
// CHECK-LABEL: llvm.func @left_to_llvm
llvm.func @left_to_llvm(%p: !llvm.ptr<1>, %c: i1, %b: bf16) {
  // CHECK: llvm.cond_br %arg1, ^[[WHERE:.+]], ^[[AFTER:.+]](%{{.+}} : bf16)
  // CHECK: ^[[WHERE]]:
  // CHECK: llvm.fence syncscope("device") acq_rel
  // CHECK: %[[OLD:.+]] = llvm.atomicrmw fadd %arg0, %arg2 syncscope("device") monotonic
  // CHECK: llvm.fence syncscope("device") acq_rel
  // CHECK: llvm.br ^[[AFTER]](%[[OLD]] : bf16)
  // CHECK: ^[[AFTER]](%{{.+}}: bf16):
  %0 = lane.atomic_rmw fadd acq_rel gpu, %p, %b, pred %c : !llvm.ptr<1>, bf16
  // CHECK-NOT: llvm.fence
  %1 = lane.atomic_rmw fadd relaxed gpu, %p, %b : !llvm.ptr<1>, bf16
  llvm.return
}
