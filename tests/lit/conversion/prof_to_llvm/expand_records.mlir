// RUN: hocket-opt %s --split-input-file --hocket-expand-records | FileCheck %s

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {

// Site 3 is 3 << 20; the payload has 20 bits.
// CHECK-LABEL: @record
// CHECK-SAME: %[[K:.+]]: i32, %[[C:.+]]: i1
llvm.func @record(%k: i32, %c: i1) {
  // CHECK: %[[SITE:.+]] = llvm.mlir.constant(3145728 : i32)
  // CHECK: %[[MASK:.+]] = llvm.mlir.constant(1048575 : i32)
  // CHECK: %[[BITS:.+]] = llvm.and %[[K]], %[[MASK]]
  // CHECK: %[[TAG:.+]] = llvm.or %[[SITE]], %[[BITS]]
  // CHECK: %[[CLOCK:.+]] = prof.read_clock {lane.untimed} : i32
  // CHECK: prof.store_record %[[TAG]] at %[[CLOCK]] : i32 when %[[C]]
  prof.record begin "a" payload %k : i32 when %c site 3
  llvm.return
}

// The token is the first word of the end: 1 << 30 | 4 << 20, or 0.
// CHECK-LABEL: @token
// CHECK-SAME: %[[C:.+]]: i1
llvm.func @token(%c: i1) {
  // CHECK: %[[BEGIN:.+]] = llvm.mlir.constant(4194304 : i32)
  // CHECK: prof.store_record %[[BEGIN]]
  // CHECK: %[[END:.+]] = llvm.mlir.constant(1073741824 : i32)
  // CHECK: %[[TAG:.+]] = llvm.or %[[BEGIN]], %[[END]]
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[TOKEN:.+]] = llvm.select %[[C]], %[[TAG]], %[[ZERO]]
  %t = prof.begin "a" when %c site 4
  // CHECK: %[[GIVEN:.+]] = llvm.icmp "ne" %[[TOKEN]]
  // CHECK: prof.store_record %[[TOKEN]] at %{{.+}} : i32 when %[[GIVEN]]
  prof.end %t
  llvm.return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {

// Between the two readings of an inner scope nothing is stored; the reading of the outer one is stored at once.
// CHECK-LABEL: @stores_after_the_scope
llvm.func @stores_after_the_scope() {
  // CHECK: %[[OUTER:.+]] = prof.read_clock
  // CHECK-NEXT: prof.store_record %{{.+}} at %[[OUTER]]
  prof.record begin "outer" site 0
  // CHECK: %[[BEGIN:.+]] = prof.read_clock
  // CHECK-NOT: prof.store_record
  prof.record begin "inner" site 1
  // CHECK: llvm.fence
  llvm.fence release
  // CHECK: %[[END:.+]] = prof.read_clock
  // CHECK-NEXT: prof.store_record %{{.+}} at %[[BEGIN]]
  // CHECK-NEXT: prof.store_record %{{.+}} at %[[END]]
  prof.record end "inner" site 1
  // CHECK: %[[LAST:.+]] = prof.read_clock
  // CHECK-NEXT: prof.store_record %{{.+}} at %[[LAST]]
  prof.record end "outer" site 0
  llvm.return
}
}
