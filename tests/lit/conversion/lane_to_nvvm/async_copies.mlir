// RUN: hocket-opt %s --hocket-convert-lane-to-nvvm | FileCheck %s

// A copy with a cache policy becomes PTX; others are unchanged.
// CHECK-LABEL: llvm.func @copies
llvm.func @copies(%to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %read: i32) {
  // CHECK: nvvm.cp.async.shared.global %arg0, %arg1, 16, cache = cg
  nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: %[[POLICY:.+]] = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;"
  // CHECK: llvm.inline_asm has_side_effects "cp.async.cg.shared.global.L2::cache_hint [$0], [$1], 16, $2;", "r,l,l" %arg0, %arg1, %[[POLICY]]
  nvvm.cp.async.shared.global %to, %from, 16, cache = cg {lane.cache_policy = #hk.cache_policy<l2 = evict_first>} : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: llvm.inline_asm has_side_effects "cp.async.ca.shared.global.L2::256B [$0], [$1], 4, $2;", "r,l,r" %arg0, %arg1, %arg2
  nvvm.cp.async.shared.global %to, %from, 4, cache = ca, %read {lane.cache_policy = #hk.cache_policy<prefetch = 256>} : !llvm.ptr<3>, !llvm.ptr<1>, i32
  llvm.return
}

// 0x14F0000000000000 and 0x12F0000000000000, where they are for all accesses.
// CHECK-LABEL: llvm.func @policies
llvm.func @policies() -> (!llvm.struct<(i64, i64, i64)>) {
  // CHECK: llvm.mlir.constant(1508705875169116160 : i64)
  %last = lane.cache_policy <l2 = evict_last>
  // CHECK: llvm.mlir.constant(1364590687093260288 : i64)
  %first = lane.cache_policy <l2 = evict_first>
  // CHECK: "createpolicy.fractional.L2::evict_normal.L2::evict_first.b64 $0, 0.5;"
  %part = lane.cache_policy <l2 = evict_normal, fraction = 5.0e-01 : f32, secondary = evict_first>
  %0 = llvm.mlir.undef : !llvm.struct<(i64, i64, i64)>
  %1 = llvm.insertvalue %last, %0[0] : !llvm.struct<(i64, i64, i64)>
  %2 = llvm.insertvalue %first, %1[1] : !llvm.struct<(i64, i64, i64)>
  %3 = llvm.insertvalue %part, %2[2] : !llvm.struct<(i64, i64, i64)>
  llvm.return %3 : !llvm.struct<(i64, i64, i64)>
}
