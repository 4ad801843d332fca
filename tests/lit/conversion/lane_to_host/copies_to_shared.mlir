// RUN: hocket-opt %s --split-input-file --hocket-convert-lane-to-host --verify-diagnostics | FileCheck %s

// CHECK: hocket.sites = [{argument = 0 : i32, bytes = 16 : i32, kind = "read", loc = #{{[a-z0-9]+}}},
// CHECK-SAME: {bytes = 16 : i32, kind = "shared_copy", loc = #{{[a-z0-9]+}}}
module attributes {hk.target = "gfx950", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
// CHECK: llvm.func @hocket_emulated_kernel(%[[LANE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
llvm.func @copies(%x: !llvm.ptr<1>, %mask: i1, %offset: i32) attributes {rocdl.kernel} {
  %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  // An immediate offset counts for both addresses.
  // CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(64 : i64)
  // CHECK: %[[SOURCE:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
  // CHECK: %[[PLACE:.*]] = llvm.add
  // Successive copies are started by the call for the last one, which also commits them.
  // CHECK: llvm.mlir.constant(false)
  // CHECK: %[[COPY:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @hocket_emulator_copyToShared(%[[LANE]], %{{.*}}, %[[SOURCE]], %{{.*}}, %[[PLACE]], %{{.*}}, %{{.*}}, %{{.*}}, %[[COPY]])
  rocdl.global.load.lds %x, %s, 16, 64, 0
  // CHECK: llvm.mlir.constant(false)
  // CHECK: %[[COMMIT:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @hocket_emulator_copyToShared(%[[LANE]], {{.*}}, %[[COMMIT]])
  // CHECK-NOT: llvm.call @hocket_emulator_commitCopies
  rocdl.global.load.lds %x, %s, 16, 32, 0
  lane.async_commit_group
  // Without a preceding copy, a commit becomes a call of its own.
  // CHECK: llvm.cond_br
  // CHECK: %[[COUNTER:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.call @hocket_emulator_commitCopies(%[[LANE]], %[[COUNTER]],
  llvm.cond_br %mask, ^commit, ^commit
^commit:
  lane.async_commit_group
  llvm.cond_br %mask, ^copy, ^join
^copy:
  %records = llvm.mlir.constant(2147483646 : i64) : i64
  %stride = llvm.mlir.constant(0 : i16) : i16
  %flags = llvm.mlir.constant(159744 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %size = llvm.mlir.constant(16 : i32) : i32
  %rsrc = rocdl.make.buffer.rsrc %x, %stride, %records, %flags : !llvm.ptr<1> to !llvm.ptr<8>
  // CHECK: %[[INSIDE:.*]] = llvm.icmp "ule"
  // CHECK: llvm.mlir.constant(false)
  // CHECK: %[[OTHER:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @hocket_emulator_copyToShared(%[[LANE]], %{{.*}}, %{{.*}}, %[[INSIDE]], {{.*}}, %[[OTHER]])
  rocdl.raw.ptr.buffer.load.lds %rsrc, %s, %size, %offset, %zero, %zero, %zero
  llvm.br ^join
^join:
  // Lanes that branch around the copy wait for the others.
  // CHECK: llvm.call @hocket_emulator_gather(%[[LANE]])
  // CHECK: %[[COUNTER:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[N:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @hocket_emulator_waitForCopies(%[[LANE]], %[[COUNTER]], %[[N]],
  lane.async_wait_group {outstanding = 1 : i32}
  llvm.return
}
}

// -----

module attributes {hk.target = "gfx942", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
llvm.func @too_wide(%x: !llvm.ptr<1>) attributes {rocdl.kernel} {
  %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  // expected-error @below {{rocdl.global.load.lds copies 4 bytes per lane on gfx942, not 16}}
  rocdl.global.load.lds %x, %s, 16, 0, 0
  llvm.return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
llvm.func @of_another_vendor(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  // expected-error @below {{rocdl.global.load.lds does not exist on sm_90a}}
  rocdl.global.load.lds %x, %s, 4, 0, 0
  llvm.return
}
}
