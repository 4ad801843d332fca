// RUN: hocket-opt %s --split-input-file --hocket-convert-prof-to-llvm | FileCheck %s

// Records in device memory: an implicit kernel argument points to header, counts and records of each block.
// CHECK-LABEL: llvm.func @device(
// CHECK-SAME: !llvm.ptr<1> {hk.implicit = #hk.implicit<scratch, bytes_per_launch = 0, bytes_per_block = 256>, llvm.align = 256 : i64, prof.buffer}
// CHECK-NOT: prof.init
// CHECK: nvvm.read.ptx.sreg.globaltimer
// CHECK: nvvm.read.ptx.sreg.clock64
// CHECK: nvvm.read.ptx.sreg.clock {{.*}}: i32
// CHECK: lane.store %{{.+}}, %{{.+}}, pred %{{.+}} : !llvm.ptr<1>, vector<2xi32>
// CHECK-NOT: barrier
// CHECK: llvm.return
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<device, circular, clock = 32, units = warp, warps = [], bytes = 32, stages = false, max_ctas = 0>} {
llvm.func @device(%tag: i32) attributes {nvvm.kernel} {
  %b = prof.buffer_alloc warps = [0, 1, 2, 3] : !hk.memdesc<4x8xi32, #prof.records<device>>
  prof.init %b : !hk.memdesc<4x8xi32, #prof.records<device>>
  %c = prof.read_clock : i32
  prof.store_record %tag at %c : i32
  prof.finalize %b : !hk.memdesc<4x8xi32, #prof.records<device>>
  prof.buffer_dealloc %b : !hk.memdesc<4x8xi32, #prof.records<device>>
  llvm.return
}
}

// -----

// Records in a module variable: one allocation, zero-initialized, public to keep its stores, for two blocks of 256
// bytes.
// CHECK: llvm.mlir.global external @static_profile() {addr_space = 1 : i32, alignment = 256 : i64} : !llvm.array<512 x i8> {
// CHECK-NEXT: llvm.mlir.zero
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: llvm.func @static(
// CHECK-SAME: i32) attributes {nvvm.kernel}
// CHECK: llvm.mlir.addressof @static_profile : !llvm.ptr<1>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<static, circular, clock = 32, units = warp, warps = [], bytes = 32, stages = false, max_ctas = 2>} {
llvm.func @static(%tag: i32) attributes {nvvm.kernel} {
  %b = prof.buffer_alloc warps = [0, 1, 2, 3] symbol = "static_profile" : !hk.memdesc<4x8xi32, #prof.records<static>>
  prof.init %b : !hk.memdesc<4x8xi32, #prof.records<static>>
  prof.finalize %b : !hk.memdesc<4x8xi32, #prof.records<static>>
  prof.buffer_dealloc %b : !hk.memdesc<4x8xi32, #prof.records<static>>
  llvm.return
}
}

// -----

// Records in shared memory: the lanes of each warp copy its records, without a barrier of the block. A worker's return
// also writes its count, but no header.
// CHECK-LABEL: llvm.func @shared(
// CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 8 : i64{{.*}}} : vector<2xi32>, !llvm.ptr<3>
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.load %{{.+}} {alignment = 8 : i64{{.*}}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: nvvm.barrier
module attributes {hk.num_warps = 2 : i32, hk.target = "sm_90a", hk.shared_bytes = 128 : i32,
    prof.config = #prof.config<shared, circular, clock = 32, units = warp, warps = [], bytes = 32, stages = false, max_ctas = 0>} {
llvm.func @shared(%tag: i32, %c: i1) attributes {nvvm.kernel} {
  llvm.cond_br %c, ^kernel, ^worker
^kernel:
  %b = prof.buffer_alloc warps = [0, 1] offset = 64 : !hk.memdesc<2x8xi32, #prof.records<shared>>
  prof.init %b : !hk.memdesc<2x8xi32, #prof.records<shared>>
  %k = prof.read_clock : i32
  prof.store_record %tag at %k : i32
  prof.finalize %b : !hk.memdesc<2x8xi32, #prof.records<shared>>
  prof.buffer_dealloc %b : !hk.memdesc<2x8xi32, #prof.records<shared>>
  llvm.return
^worker:
  llvm.return
}
}

// -----

// CHECK-LABEL: llvm.func @amd(
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.getreg"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.memrealtime"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.s.memtime"
// CHECK-NOT: llvm.alloca
// CHECK: rocdl.sched.barrier 0
// CHECK-NEXT: llvm.call_intrinsic "llvm.amdgcn.s.memtime"
// CHECK-NEXT: rocdl.sched.barrier 0
module attributes {hk.num_warps = 4 : i32, hk.target = "gfx950",
    prof.config = #prof.config<device, keep_first, clock = 44, units = warp, warps = [], bytes = 32, stages = false, max_ctas = 0>} {
llvm.func @amd(%tag: i32, %n: i1) attributes {rocdl.kernel} {
  %b = prof.buffer_alloc warps = [0, 1, 2, 3] : !hk.memdesc<4x8xi32, #prof.records<device>>
  prof.init %b : !hk.memdesc<4x8xi32, #prof.records<device>>
  llvm.br ^loop
^loop:
  %c = prof.read_clock : i64
  prof.store_record %tag at %c : i64
  llvm.cond_br %n, ^loop, ^end
^end:
  prof.finalize %b : !hk.memdesc<4x8xi32, #prof.records<device>>
  prof.buffer_dealloc %b : !hk.memdesc<4x8xi32, #prof.records<device>>
  llvm.return
}
}

// -----

// A warp that waits at a barrier would otherwise read the clock before its lanes converge.
// CHECK-LABEL: llvm.func @after_barriers(
// CHECK: nvvm.barrier0
// CHECK-NEXT: llvm.mlir.constant(-1 : i32)
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: nvvm.read.ptx.sreg.clock {{.*}}: i32
// CHECK: nvvm.barrier id
// CHECK-NEXT: llvm.mlir.constant(-1 : i32)
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: nvvm.barrier.arrive
// CHECK-NOT: nvvm.bar.warp.sync
// CHECK: llvm.return
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<device, circular, clock = 32, units = warp, warps = [], bytes = 32, stages = false, max_ctas = 0>} {
llvm.func @after_barriers(%tag: i32, %id: i32, %threads: i32) attributes {nvvm.kernel} {
  %b = prof.buffer_alloc warps = [0, 1, 2, 3] : !hk.memdesc<4x8xi32, #prof.records<device>>
  prof.init %b : !hk.memdesc<4x8xi32, #prof.records<device>>
  nvvm.barrier0
  %c = prof.read_clock : i32
  prof.store_record %tag at %c : i32
  nvvm.barrier id = %id number_of_threads = %threads
  nvvm.barrier.arrive id = %id number_of_threads = %threads
  prof.finalize %b : !hk.memdesc<4x8xi32, #prof.records<device>>
  prof.buffer_dealloc %b : !hk.memdesc<4x8xi32, #prof.records<device>>
  llvm.return
}
}

// -----

// Staged records: after the last record of a block, bit 5 of the running index decides whether all lanes move a
// segment. The move is between two clock reads, whose records follow. At the end, the rest is moved.
// CHECK-LABEL: llvm.func @staged(
// CHECK-COUNT-2: nvvm.read.ptx.sreg.clock {{.*}}: i32
// CHECK-NOT: nvvm.bar.warp.sync
// CHECK: llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64{{.*}}} : vector<4xi32>, !llvm.ptr<3>
// CHECK: %[[CHANGED:.+]] = llvm.xor
// CHECK: %[[SEGMENT:.+]] = llvm.mlir.constant(32 : i32)
// CHECK: llvm.and %[[CHANGED]], %[[SEGMENT]]
// CHECK: llvm.cond_br
// CHECK: nvvm.read.ptx.sreg.clock {{.*}}: i32
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.load %{{.+}} {alignment = 8 : i64{{.*}}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK: lane.store %{{.+}}, %{{.+}} : !llvm.ptr<1>, vector<2xi32>
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.read.ptx.sreg.clock {{.*}}: i32
// CHECK-COUNT-2: llvm.store %{{.+}}, %{{.+}} {alignment = 8 : i64{{.*}}} : vector<2xi32>, !llvm.ptr<3>
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.load %{{.+}} {alignment = 8 : i64{{.*}}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK: lane.store
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
module attributes {hk.num_warps = 2 : i32, hk.target = "sm_90a", hk.shared_bytes = 2048 : i32,
    prof.config = #prof.config<auto, flush, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
llvm.func @staged(%tag: i32) attributes {nvvm.kernel} {
  %b = prof.buffer_alloc warps = [0, 1] staging = 512 site 1 offset = 64 : !hk.memdesc<2x128xi32, #prof.records<device>>
  prof.init %b : !hk.memdesc<2x128xi32, #prof.records<device>>
  %k = prof.read_clock : i32
  prof.store_record %tag at %k : i32
  %l = prof.read_clock : i32
  prof.store_record %tag at %l : i32
  prof.finalize %b : !hk.memdesc<2x128xi32, #prof.records<device>>
  prof.buffer_dealloc %b : !hk.memdesc<2x128xi32, #prof.records<device>>
  llvm.return
}
}

// -----

// Two records of a scope in a loop: the mark before the loop has the index 1, so that the pair in the loop begins at a
// multiple of 16 bytes and is one store. Two is added to the index once.
// CHECK-LABEL: llvm.func @pair(
// CHECK: llvm.mlir.constant(8194 : i32)
// CHECK: ^bb{{.+}}(%[[INDEX:.+]]: i32):
// CHECK-COUNT-2: nvvm.read.ptx.sreg.clock {{.*}}: i32
// CHECK-NOT: vector<2xi32>
// CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.add %[[INDEX]], %[[TWO]]
// CHECK: lane.store %{{.+}}, %{{.+}}, pred %{{.+}} : !llvm.ptr<1>, vector<4xi32>
// CHECK-NOT: lane.store
// CHECK: llvm.cond_br
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<device, circular, clock = 32, units = warp, warps = [], bytes = 64, stages = false, max_ctas = 0>} {
llvm.func @pair(%tag: i32, %c: i1) attributes {nvvm.kernel} {
  %b = prof.buffer_alloc warps = [0, 1, 2, 3] : !hk.memdesc<4x16xi32, #prof.records<device>>
  prof.init %b : !hk.memdesc<4x16xi32, #prof.records<device>>
  %m = prof.read_clock : i32
  prof.store_record %tag at %m : i32
  llvm.br ^loop
^loop:
  %k = prof.read_clock : i32
  %l = prof.read_clock : i32
  prof.store_record %tag at %k : i32
  prof.store_record %tag at %l : i32
  llvm.cond_br %c, ^loop, ^end
^end:
  prof.finalize %b : !hk.memdesc<4x16xi32, #prof.records<device>>
  prof.buffer_dealloc %b : !hk.memdesc<4x16xi32, #prof.records<device>>
  llvm.return
}
}

// -----

// Three records in an iteration: their indices are even or odd, so each is a store. A record with a condition makes all
// later indices unknown; two records with the same condition do not.
// CHECK-LABEL: llvm.func @no_pair(
// CHECK-NOT: vector<4xi32>
// CHECK: llvm.return
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<device, circular, clock = 32, units = warp, warps = [], bytes = 64, stages = false, max_ctas = 0>} {
llvm.func @no_pair(%tag: i32, %c: i1) attributes {nvvm.kernel} {
  %b = prof.buffer_alloc warps = [0, 1, 2, 3] : !hk.memdesc<4x16xi32, #prof.records<device>>
  prof.init %b : !hk.memdesc<4x16xi32, #prof.records<device>>
  llvm.br ^loop
^loop:
  %k = prof.read_clock : i32
  prof.store_record %tag at %k : i32
  prof.store_record %tag at %k : i32
  prof.store_record %tag at %k : i32
  llvm.cond_br %c, ^loop, ^end
^end:
  prof.store_record %tag at %k : i32 when %c
  prof.store_record %tag at %k : i32
  prof.store_record %tag at %k : i32
  prof.finalize %b : !hk.memdesc<4x16xi32, #prof.records<device>>
  prof.buffer_dealloc %b : !hk.memdesc<4x16xi32, #prof.records<device>>
  llvm.return
}
}

// -----

// CHECK-LABEL: llvm.func @pairs_with_a_condition(
// CHECK: llvm.select %{{.+}}, %{{.+}}, %{{.+}} : i1, i32
// CHECK: lane.store %{{.+}}, %{{.+}}, pred %{{.+}} : !llvm.ptr<1>, vector<4xi32>
// CHECK: lane.store %{{.+}}, %{{.+}}, pred %{{.+}} : !llvm.ptr<1>, vector<4xi32>
// CHECK: llvm.return
module attributes {hk.num_warps = 4 : i32, hk.target = "gfx950",
    prof.config = #prof.config<device, keep_first, clock = 44, units = warp, warps = [], bytes = 64, stages = false, max_ctas = 0>} {
llvm.func @pairs_with_a_condition(%tag: i32, %c: i1) attributes {rocdl.kernel} {
  %b = prof.buffer_alloc warps = [0, 1, 2, 3] : !hk.memdesc<4x16xi32, #prof.records<device>>
  prof.init %b : !hk.memdesc<4x16xi32, #prof.records<device>>
  %k = prof.read_clock : i64
  prof.store_record %tag at %k : i64 when %c
  prof.store_record %tag at %k : i64 when %c
  prof.store_record %tag at %k : i64
  prof.store_record %tag at %k : i64
  prof.finalize %b : !hk.memdesc<4x16xi32, #prof.records<device>>
  prof.buffer_dealloc %b : !hk.memdesc<4x16xi32, #prof.records<device>>
  llvm.return
}
}
