// RUN: hocket-opt %s --hocket-convert-lane-to-nvvm | FileCheck %s

// Accesses that LLVM IR can express stay visible to LLVM.
// CHECK-LABEL: llvm.func @plain
llvm.func @plain(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) {
  // CHECK: %[[V:.+]] = llvm.load %arg0 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  %v = lane.load %p : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: llvm.store %[[V]], %arg1 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
  lane.store %q, %v : !llvm.ptr<1>, vector<4xf32>
  // A predicate that is always true is dropped.
  %true = llvm.mlir.constant(true) : i1
  // CHECK: llvm.load volatile %arg0 {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
  %w = lane.load %p, pred %true volatile : !llvm.ptr<1> -> bf16
  lane.store %q, %w : !llvm.ptr<1>, bf16
  llvm.return
}

// CHECK-LABEL: llvm.func @predicated
llvm.func @predicated(%p: !llvm.ptr<1>, %c: i1, %o: vector<8xbf16>, %s: f64, %b: i8) {
  // The destination register is initialized with `other`.
  // CHECK: %[[O:.+]] = llvm.bitcast %arg2 : vector<8xbf16> to vector<4xi32>
  // CHECK: llvm.inline_asm has_side_effects "@$9 ld.global.v4.b32 {$0, $1, $2, $3}, [$8];", "=r,=r,=r,=r,0,1,2,3,l,b"
  // CHECK-SAME: -> !llvm.struct<(i32, i32, i32, i32)>
  // CHECK: llvm.bitcast %{{.+}} : vector<4xi32> to vector<8xbf16>
  %v = lane.load %p, pred %c, other %o : !llvm.ptr<1> -> vector<8xbf16>
  // CHECK: llvm.inline_asm has_side_effects "@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b"
  lane.store %p, %v, pred %c : !llvm.ptr<1>, vector<8xbf16>
  // CHECK: llvm.inline_asm has_side_effects "@$2 ld.global.b64 $0, [$1];", "=l,l,b" %{{.+}} : (!llvm.ptr<1>, i1) -> i64
  %d = lane.load %p, pred %c : !llvm.ptr<1> -> f64
  // CHECK: llvm.inline_asm has_side_effects "@$3 st.global.v2.b64 [$0], {$1, $2};"
  %dd = lane.load %p : !llvm.ptr<1> -> vector<2xf64>
  lane.store %p, %dd, pred %c : !llvm.ptr<1>, vector<2xf64>
  // CHECK: llvm.inline_asm has_side_effects "@$2 st.global.b64 [$0], $1;"
  lane.store %p, %d, pred %c : !llvm.ptr<1>, f64
  // There are no 8-bit registers.
  // CHECK: llvm.zext %arg4 : i8 to i16
  // CHECK: llvm.inline_asm has_side_effects "@$2 st.global.b8 [$0], $1;", "l,h,b"
  lane.store %p, %b, pred %c : !llvm.ptr<1>, i8
  llvm.return
}

// CHECK-LABEL: llvm.func @hints
llvm.func @hints(%p: !llvm.ptr<1>, %c: i1) {
  // CHECK: llvm.inline_asm has_side_effects "ld.global.cg.v2.b32 {$0, $1}, [$2];"
  %v = lane.load %p cache = cg : !llvm.ptr<1> -> vector<2xf32>
  // CHECK: %[[POLICY:.+]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"
  // CHECK: llvm.inline_asm has_side_effects "@$2 ld.global.L1::evict_last.L2::cache_hint.b32 $0, [$1], $3;", "=r,l,b,l" %arg0, %arg1, %[[POLICY]]
  %w = lane.load %p, pred %c policy = <l1 = evict_last, l2 = evict_last> : !llvm.ptr<1> -> f32
  // CHECK: "st.global.cs.L2::cache_hint.v2.b32 [$0], {$1, $2}, $3;"
  lane.store %p, %v cache = cs policy = <l1 = evict_first, l2 = evict_first> : !llvm.ptr<1>, vector<2xf32>
  // CHECK: "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 $0, 0.25;"
  // CHECK: "ld.global.L1::no_allocate.L2::cache_hint.L2::128B.b32 $0, [$1], $2;"
  %y = lane.load %p policy = <l1 = no_allocate, l2 = evict_last, fraction = 2.5e-01 : f32, secondary = evict_first, prefetch = 128> : !llvm.ptr<1> -> f32
  // CHECK: "ld.global.L2::64B.b32 $0, [$1];"
  %z = lane.load %p policy = <prefetch = 64> : !llvm.ptr<1> -> f32
  // CHECK: "@$2 ld.volatile.global.b32 $0, [$1];"
  %x = lane.load %p, pred %c volatile : !llvm.ptr<1> -> f32
  llvm.return
}
