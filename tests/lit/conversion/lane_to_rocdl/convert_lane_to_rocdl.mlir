// RUN: hocket-opt %s --hocket-convert-lane-to-rocdl | FileCheck %s

// Masked-off lanes load from the kernel's arguments, so that no branch separates the loads of a tile.
// CHECK-LABEL: llvm.func @loads
llvm.func @loads(%p: !llvm.ptr<1>, %c: i1, %o: vector<4xf32>) {
  // CHECK: %[[SEGMENT:.+]] = llvm.call_intrinsic "llvm.amdgcn.kernarg.segment.ptr"() : () -> !llvm.ptr<4>
  // CHECK: %[[READABLE:.+]] = llvm.addrspacecast %[[SEGMENT]] : !llvm.ptr<4> to !llvm.ptr<1>
  // CHECK: llvm.load %arg0 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  %0 = lane.load %p : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: %[[A:.+]] = llvm.select %arg1, %arg0, %[[READABLE]] : i1, !llvm.ptr<1>
  // CHECK: %[[V:.+]] = llvm.load %[[A]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: llvm.select %arg1, %[[V]], %arg2 : i1, vector<4xf32>
  %1 = lane.load %p, pred %c, other %o : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: llvm.load %arg0 {alignment = 4 : i64, nontemporal} : !llvm.ptr<1> -> f32
  %2 = lane.load %p cache = cs : !llvm.ptr<1> -> f32
  // CHECK: llvm.load volatile %arg0 {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  %3 = lane.load %p cache = cv : !llvm.ptr<1> -> f32
  llvm.return
}

// CHECK-LABEL: llvm.func @stores
llvm.func @stores(%p: !llvm.ptr<1>, %c: i1, %v: vector<8xbf16>) {
  // CHECK: llvm.store %arg2, %arg0 {alignment = 16 : i64, nontemporal} : vector<8xbf16>, !llvm.ptr<1>
  lane.store %p, %v policy = <l2 = evict_first> : !llvm.ptr<1>, vector<8xbf16>
  // CHECK: llvm.cond_br %arg1, ^[[WHERE:.+]], ^[[AFTER:.+]]
  // CHECK: ^[[WHERE]]:
  // CHECK: llvm.store %arg2, %arg0 {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
  // CHECK: llvm.br ^[[AFTER]]
  lane.store %p, %v, pred %c : !llvm.ptr<1>, vector<8xbf16>
  llvm.return
}

// CHECK-LABEL: llvm.func @atomics
llvm.func @atomics(%p: !llvm.ptr<1>, %c: i1, %f: f32, %i: i32) {
  // CHECK: llvm.cond_br %arg1, ^[[WHERE:.+]], ^[[AFTER:.+]](%{{.+}} : f32)
  // CHECK: %[[OLD:.+]] = llvm.atomicrmw fadd %arg0, %arg2 syncscope("agent") monotonic {rocdl.ignore_denormal_mode, rocdl.no_fine_grained_memory, rocdl.no_remote_memory}
  // CHECK: llvm.br ^[[AFTER]](%[[OLD]] : f32)
  %0 = lane.atomic_rmw fadd relaxed gpu, %p, %f, pred %c : !llvm.ptr<1>, f32
  // Floats are compared bitwise.
  // CHECK: llvm.cmpxchg %arg0, %{{.+}}, %{{.+}} syncscope("workgroup") acq_rel acquire : !llvm.ptr<1>, i32
  // CHECK: llvm.bitcast %{{.+}} : i32 to f32
  %1 = lane.atomic_cas acq_rel cta, %p, %f, %f : !llvm.ptr<1>, f32
  // CHECK: llvm.atomicrmw umin %arg0, %arg3 release
  %2 = lane.atomic_rmw umin release sys, %p, %i : !llvm.ptr<1>, i32
  llvm.return
}

// CHECK-LABEL: llvm.func @others
llvm.func @others(%p: !llvm.ptr<1>, %c: i1) {
  // CHECK: %[[IMPLICIT:.+]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
  // CHECK: %[[COUNT:.+]] = llvm.getelementptr %[[IMPLICIT]][1] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i32
  // CHECK: llvm.load %[[COUNT]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
  %y = rocdl.grid.dim.y : i32
  lane.store %p, %y : !llvm.ptr<1>, i32
  // CHECK: llvm.cond_br
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.endpgm"()
  lane.assert %c, "message"
  llvm.return
}
