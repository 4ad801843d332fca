// RUN: hocket-opt %s --split-input-file --hocket-convert-lane-to-host | FileCheck %s

// CHECK-NOT: llvm.mlir.global
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32, hk.shared_bytes = 1024 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
// CHECK: llvm.func @hocket_emulated_kernel(%[[LANE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK: %[[STORED:.*]] = llvm.alloca %{{.*}} x i8 {alignment = 16 : i64}
// CHECK: %[[FLAG:.*]] = llvm.getelementptr inbounds %[[LANE]][32]
// CHECK: %[[WATCHED:.*]] = llvm.icmp "ne"
llvm.func @shared(%i: i32, %v: vector<4xf32>) attributes {rocdl.kernel} {
  // A pointer to shared memory is an offset.
  // CHECK: %[[BASE:.*]] = llvm.mlir.zero : !llvm.ptr
  %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  // CHECK: %[[P:.*]] = llvm.getelementptr %[[BASE]]
  %p = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xf32>
  // 63 is (1024 - 16) / 16; rotation turns an offset that is not a multiple of 16 into a much larger number.
  // CHECK: %[[O:.*]] = llvm.ptrtoint %[[P]] : !llvm.ptr to i64
  // CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64)
  // CHECK: %[[ROTATED:.*]] = llvm.intr.fshr(%[[O]], %[[O]], %[[FOUR]])
  // CHECK: %[[LIMIT:.*]] = llvm.mlir.constant(63 : i64)
  // CHECK: %[[BAD:.*]] = llvm.icmp "ugt" %[[ROTATED]], %[[LIMIT]]
  // CHECK: %[[INTEREST:.*]] = llvm.or %[[BAD]], %[[WATCHED]]
  // CHECK: llvm.cond_br %[[INTEREST]], ^[[CALL:.*]], ^[[GO:.*]]
  // CHECK: ^[[CALL]]:
  // CHECK: %[[SLOT:.*]] = llvm.getelementptr inbounds %[[STORED]][0]
  // CHECK: llvm.store %{{.*}}, %[[SLOT]] : vector<4xf32>
  // CHECK: llvm.call @hocket_emulator_shared(%[[LANE]], %[[O]], %[[STORED]], %{{.*}}, %[[BAD]])
  // CHECK: llvm.br ^[[GO]]
  // CHECK: ^[[GO]]:
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr inbounds %[[LANE]][8]
  // CHECK: %[[SHARED:.*]] = llvm.load %[[FIELD]]
  // CHECK: %[[Q:.*]] = llvm.getelementptr inbounds %[[SHARED]][%[[O]]]
  // CHECK: llvm.store %{{.*}}, %[[Q]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
  llvm.store %v, %p {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  // An access that is wider than its alignment needs two comparisons.
  // CHECK: %[[LOW:.*]] = llvm.and
  // CHECK: %[[MISALIGNED:.*]] = llvm.icmp "ne" %[[LOW]]
  // CHECK: %[[OUTSIDE:.*]] = llvm.icmp "ugt"
  // CHECK: llvm.or %[[MISALIGNED]], %[[OUTSIDE]]
  // CHECK: %[[NULL:.*]] = llvm.mlir.zero
  // CHECK: llvm.call @hocket_emulator_shared(%[[LANE]], %{{.*}}, %[[NULL]],
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  %w = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<3> -> vector<4xf32>
  llvm.return
}
}

// -----

// Successive loads are checked together before the first one, and so are stores. A load with a dependent address comes
// later.
// CHECK-DAG: llvm.mlir.global internal constant @[[LOADS:.*]](dense<[2, 0, 1]> : tensor<3xi32>)
// CHECK-DAG: llvm.mlir.global internal constant @[[STORES:.*]](dense<[2, 2, 3]> : tensor<3xi32>)
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32, hk.shared_bytes = 1024 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
// CHECK: llvm.func @hocket_emulated_kernel(%[[LANE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
llvm.func @rows(%i: i32) attributes {rocdl.kernel} {
  %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  %p = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  // CHECK: %[[BAD1:.*]] = llvm.icmp "ugt"
  // CHECK: %[[BAD2:.*]] = llvm.icmp "ugt"
  // CHECK: %[[BAD:.*]] = llvm.or %[[BAD1]], %[[BAD2]]
  // CHECK: llvm.or %[[BAD]], %{{.*}}
  // CHECK: %[[OFFSETS:.*]] = llvm.getelementptr inbounds %[[MEMORY:.*]][0]
  // CHECK: llvm.store %{{.*}} : i64
  // CHECK: llvm.store %{{.*}} : i64
  // CHECK: %[[ROW:.*]] = llvm.mlir.addressof @[[LOADS]]
  // CHECK: %[[NULL:.*]] = llvm.mlir.zero
  // CHECK: llvm.call @hocket_emulator_sharedRow(%[[LANE]], %[[ROW]], %[[OFFSETS]], %[[NULL]], %[[BAD]])
  // CHECK: %[[X:.*]] = llvm.load %{{.*}} -> f32
  // CHECK: %[[Y:.*]] = llvm.load %{{.*}} -> f32
  // CHECK: %[[TWICE:.*]] = llvm.fadd %[[X]], %[[X]]
  %x = llvm.load %p : !llvm.ptr<3> -> f32
  %twice = llvm.fadd %x, %x : f32
  %q = llvm.getelementptr %p[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
  %y = llvm.load %q : !llvm.ptr<3> -> f32
  // The values to be written are stored before the offsets.
  // Stores pass the values to be written only if the checker needs them.
  // CHECK: %[[OFFSETS:.*]] = llvm.getelementptr inbounds %[[MEMORY]][32]
  // CHECK: %[[ROW:.*]] = llvm.mlir.addressof @[[STORES]]
  // CHECK: %[[MAY:.*]] = llvm.call @hocket_emulator_storedRow(%[[LANE]], %[[ROW]], %[[OFFSETS]], %{{.*}})
  // CHECK: llvm.cond_br %[[MAY]], ^[[GO:.*]], ^{{.*}}
  // CHECK: %[[FIRST:.*]] = llvm.getelementptr inbounds %[[MEMORY]][0]
  // CHECK: llvm.store %[[TWICE]], %[[FIRST]]
  // CHECK: %[[SECOND:.*]] = llvm.getelementptr inbounds %[[MEMORY]][16]
  // CHECK: llvm.store %[[Y]], %[[SECOND]]
  // CHECK: llvm.call @hocket_emulator_sharedRow(%[[LANE]], %[[ROW]], %[[OFFSETS]], %[[MEMORY]], %{{.*}})
  // CHECK: llvm.br ^[[GO]]
  llvm.store %twice, %p : f32, !llvm.ptr<3>
  llvm.store %y, %q : f32, !llvm.ptr<3>
  llvm.return
}
}

// -----

// A dependent address, or a store between two loads, ends the group.
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32, hk.shared_bytes = 1024 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
// CHECK: llvm.func @hocket_emulated_kernel
// CHECK-NOT: @hocket_emulator_sharedRow
llvm.func @parted() attributes {rocdl.kernel} {
  %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  %i = llvm.load %s : !llvm.ptr<3> -> i32
  %p = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %j = llvm.load %p : !llvm.ptr<3> -> i32
  llvm.store %j, %s : i32, !llvm.ptr<3>
  %k = llvm.load %p : !llvm.ptr<3> -> i32
  llvm.return
}
}
