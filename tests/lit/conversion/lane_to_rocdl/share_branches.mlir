// RUN: hocket-opt %s --hocket-share-branches=above=1 --split-input-file | FileCheck %s
// RUN: hocket-opt %s --hocket-share-branches --split-input-file | FileCheck %s --check-prefix=FEW
// RUN: not hocket-opt %s --hocket-share-branches="above=1 most=1" --split-input-file 2>&1 | FileCheck %s --check-prefix=MOST

// FEW-NOT: cond_br

// A masked-off access adds zero where the other adds a value.
// CHECK-LABEL: llvm.func @statement
llvm.func @statement(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>, %v: i32, %w: i32, %a: i1, %b: i1) {
  // CHECK: %[[ANY:.+]] = llvm.or %arg4, %arg5
  // CHECK: llvm.cond_br %[[ANY]], ^[[WHERE:.+]], ^[[AFTER:.+]]
  // CHECK: ^[[WHERE]]:
  // CHECK: %[[PLACE:.+]] = llvm.select %arg4, %arg0, %arg1
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[P:.+]] = llvm.select %arg4, %arg0, %[[PLACE]]
  // CHECK: %[[V:.+]] = llvm.select %arg4, %arg2, %[[ZERO]]
  // CHECK: %[[Q:.+]] = llvm.select %arg5, %arg1, %[[PLACE]]
  // CHECK: %[[W:.+]] = llvm.select %arg5, %arg3, %[[ZERO]]
  // CHECK: lane.atomic_rmw add relaxed gpu, %[[P]], %[[V]] :
  // CHECK: lane.atomic_rmw add relaxed gpu, %[[Q]], %[[W]] :
  // CHECK: llvm.br ^[[AFTER]]
  %0 = lane.atomic_rmw add relaxed gpu, %p, %v, pred %a : !llvm.ptr<1>, i32 loc("x.py":3:1)
  %1 = lane.atomic_rmw add relaxed gpu, %q, %w, pred %b : !llvm.ptr<1>, i32 loc("x.py":3:1)
  llvm.return
}

// -----

// Both stores share a branch. Operations between the two are moved before them.
// CHECK-LABEL: llvm.func @stores
llvm.func @stores(%p: !llvm.ptr<1>, %v: vector<2xf32>, %a: i1, %b: i1) {
  // CHECK: %[[NEXT:.+]] = llvm.getelementptr %arg0[1]
  // CHECK: llvm.cond_br
  // CHECK: %[[PLACE:.+]] = llvm.select %arg2, %arg0, %[[NEXT]]
  // CHECK: %[[FIRST:.+]] = llvm.select %arg2, %arg0, %[[PLACE]]
  // CHECK: %[[SECOND:.+]] = llvm.select %arg3, %[[NEXT]], %[[PLACE]]
  // CHECK: lane.store %[[FIRST]], %arg1 :
  // CHECK: lane.store %[[SECOND]], %arg1 :
  lane.store %p, %v, pred %a : !llvm.ptr<1>, vector<2xf32> loc("x.py":3:1)
  %q = llvm.getelementptr %p[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<2xf32>
  lane.store %q, %v, pred %b : !llvm.ptr<1>, vector<2xf32> loc("x.py":3:1)
  llvm.return
}

// -----

// Accesses under one predicate share a branch, whatever they are; results leave it as block arguments.
// CHECK-LABEL: llvm.func @predicate
llvm.func @predicate(%p: !llvm.ptr<1>, %v: i32, %a: i1) -> i32 {
  // CHECK: %[[NONE:.+]] = llvm.mlir.poison : i32
  // CHECK: llvm.cond_br %arg2, ^[[WHERE:.+]], ^[[AFTER:.+]](%[[NONE]] : i32)
  // CHECK: ^[[WHERE]]:
  // CHECK: %[[OLD:.+]] = lane.atomic_rmw xchg relaxed gpu, %arg0, %arg1 :
  // CHECK-NEXT: lane.store %arg0, %arg1 :
  // CHECK-NEXT: llvm.br ^[[AFTER]](%[[OLD]] : i32)
  // CHECK: ^[[AFTER]](%[[RESULT:.+]]: i32):
  // CHECK: llvm.return %[[RESULT]]
  %0 = lane.atomic_rmw xchg relaxed gpu, %p, %v, pred %a : !llvm.ptr<1>, i32 loc("x.py":3:1)
  lane.store %p, %v, pred %a : !llvm.ptr<1>, i32 loc("x.py":4:1)
  llvm.return %0 : i32
}

// -----

// The elements that have no effect.
// CHECK-LABEL: llvm.func @neutral
llvm.func @neutral(%p: !llvm.ptr<1>, %v: i32, %f: f32, %h: vector<2xf16>, %a: i1, %b: i1) {
  // CHECK: llvm.mlir.constant(-1 : i32)
  // CHECK: lane.atomic_rmw and
  %0 = lane.atomic_rmw and relaxed gpu, %p, %v, pred %a : !llvm.ptr<1>, i32 loc("x.py":3:1)
  %1 = lane.atomic_rmw and relaxed gpu, %p, %v, pred %b : !llvm.ptr<1>, i32 loc("x.py":3:1)
  // CHECK: llvm.mlir.constant(-2147483648 : i32)
  // CHECK: lane.atomic_rmw max
  %2 = lane.atomic_rmw max relaxed gpu, %p, %v, pred %a : !llvm.ptr<1>, i32 loc("x.py":4:1)
  %3 = lane.atomic_rmw max relaxed gpu, %p, %v, pred %b : !llvm.ptr<1>, i32 loc("x.py":4:1)
  // CHECK: llvm.mlir.constant(2147483647 : i32)
  // CHECK: lane.atomic_rmw min
  %4 = lane.atomic_rmw min relaxed gpu, %p, %v, pred %a : !llvm.ptr<1>, i32 loc("x.py":5:1)
  %5 = lane.atomic_rmw min relaxed gpu, %p, %v, pred %b : !llvm.ptr<1>, i32 loc("x.py":5:1)
  // CHECK: llvm.mlir.constant(-0.000000e+00 : f32)
  // CHECK: lane.atomic_rmw fadd
  %6 = lane.atomic_rmw fadd relaxed gpu, %p, %f, pred %a : !llvm.ptr<1>, f32 loc("x.py":6:1)
  %7 = lane.atomic_rmw fadd relaxed gpu, %p, %f, pred %b : !llvm.ptr<1>, f32 loc("x.py":6:1)
  // CHECK: llvm.mlir.constant(dense<-0.000000e+00> : vector<2xf16>)
  // CHECK: lane.atomic_rmw fadd
  %8 = lane.atomic_rmw fadd relaxed gpu, %p, %h, pred %a : !llvm.ptr<1>, vector<2xf16> loc("x.py":7:1)
  %9 = lane.atomic_rmw fadd relaxed gpu, %p, %h, pred %b : !llvm.ptr<1>, vector<2xf16> loc("x.py":7:1)
  llvm.return
}

// -----

// Not merged: exchanges, other statements, accesses that depend on an earlier result, accesses with a load in between.
// CHECK-LABEL: llvm.func @apart
llvm.func @apart(%p: !llvm.ptr<1>, %v: i32, %a: i1, %b: i1) {
  // CHECK-NOT: llvm.cond_br
  // MOST: x.py:3:1: error: this kernel has 7 accesses with different masks, most of them here, but a kernel for AMD GPUs may have at most 1
  // MOST: note: hint: replace gl.static_range by range, which does not unroll the loop, use smaller tiles or more warps, or use buffer accesses, which need no branches
  %0 = lane.atomic_rmw xchg relaxed gpu, %p, %v, pred %a : !llvm.ptr<1>, i32 loc("x.py":3:1)
  %1 = lane.atomic_rmw xchg relaxed gpu, %p, %v, pred %b : !llvm.ptr<1>, i32 loc("x.py":3:1)
  %2 = lane.atomic_rmw add relaxed gpu, %p, %v, pred %a : !llvm.ptr<1>, i32 loc("x.py":4:1)
  %3 = lane.atomic_rmw add relaxed gpu, %p, %2, pred %b : !llvm.ptr<1>, i32 loc("x.py":4:1)
  %4 = lane.load %p : !llvm.ptr<1> -> i32
  lane.store %p, %4, pred %b : !llvm.ptr<1>, i32 loc("x.py":5:1)
  %5 = lane.load %p : !llvm.ptr<1> -> i32
  lane.store %p, %5, pred %b : !llvm.ptr<1>, i32 loc("x.py":5:1)
  lane.store %p, %v, pred %a : !llvm.ptr<1>, i32 loc("x.py":6:1)
  llvm.return
}
