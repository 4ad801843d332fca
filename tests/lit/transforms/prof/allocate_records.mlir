// RUN: hocket-opt %s --split-input-file --hocket-allocate-records --verify-diagnostics | FileCheck %s

// Records in device memory: a kernel without shared memory keeps its L1 cache.
// CHECK: module attributes
// CHECK-SAME: \22bytes_per_cta\22:32896
// CHECK-SAME: \22bytes_per_unit\22:8192
// CHECK-SAME: \22note\22:\22records in device memory: in shared memory, they would reduce the number of blocks per SM or the L1 cache, or only few would fit; 1024 records for each warp\22
// CHECK-SAME: \22unit_warps\22:[0,1,2,3]
// CHECK-LABEL: @records
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
func.func @records() {
  // CHECK-NEXT: %[[B:.+]] = prof.buffer_alloc warps = [0, 1, 2, 3] : !hk.memdesc<4x2048xi32, #prof.records<device>>
  // CHECK-NEXT: prof.init %[[B]]
  // CHECK-NEXT: prof.record mark "a" as mark site 0
  prof.record mark "a" as mark site 0
  // CHECK-NEXT: prof.finalize %[[B]]
  // CHECK-NEXT: prof.buffer_dealloc %[[B]]
  // CHECK-NEXT: return
  return
}
}

// -----

// The kernel uses shared memory anyway: with 40 KiB, 4 KiB more still allow 5 concurrent blocks.
// CHECK: hk.buffers = [#hk.buffer<name = "records of the profiler", offset = 40960, bytes = 4160>]
// CHECK-SAME: hk.shared_bytes = 45120
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a", hk.shared_bytes = 40960 : i32,
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
func.func @shared_for_free() {
  // CHECK: prof.buffer_alloc warps = [0, 1, 2, 3] offset = 40960 : !hk.memdesc<4x256xi32, #prof.records<shared>>
  prof.record mark "a" as mark site 0
  return
}
}

// -----

// Records fill the shared memory that is left: 4 KiB more would leave room for one block per SM instead of two.
// CHECK: hk.shared_bytes = 114688
// CHECK-LABEL: @shared_at_a_price
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a", hk.shared_bytes = 114688 : i32,
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
func.func @shared_at_a_price() {
  // CHECK: !hk.memdesc<4x2048xi32, #prof.records<device>>
  prof.record mark "a" as mark site 0
  return
}
}

// -----

// Flushed records: two segments of 32 records for each warp in shared memory, with a dummy record; in device memory,
// 256 KiB for each warp. Flushes are the last site.
// CHECK: hk.buffers = [#hk.buffer<name = "records of the profiler", offset = 0, bytes = 2112>]
// CHECK-SAME: hk.shared_bytes = 2112
// CHECK-SAME: prof.sites = [#prof.site<"a", mark, {{.*}}>, #prof.site<"flush", flush, parent = -1, file = "", line = 0, stage = -1, payload = false, exclusive = false>]
// CHECK-LABEL: @flushed
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.sites = [#prof.site<"a", mark, parent = -1, file = "k.py", line = 1, stage = -1, payload = false, exclusive = false>],
    prof.config = #prof.config<auto, flush, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
func.func @flushed() {
  // CHECK-NEXT: prof.buffer_alloc warps = [0, 1, 2, 3] staging = 512 site 1 offset = 0 : !hk.memdesc<4x65536xi32, #prof.records<device>>
  prof.record mark "a" as mark site 0
  return
}
}

// -----

// A warp of CDNA has 64 lanes, so a segment has 64 records. Device memory has room for the two segments.
// CHECK-LABEL: @flushed_on_amd
module attributes {hk.num_warps = 4 : i32, hk.target = "gfx950",
    prof.config = #prof.config<shared, flush, clock = 32, units = cta, warps = [], bytes = 64, stages = false, max_ctas = 0>} {
func.func @flushed_on_amd() {
  // CHECK-NEXT: prof.buffer_alloc warps = [0] staging = 1024 site 0 offset = 0 : !hk.memdesc<1x256xi32, #prof.records<device>>
  prof.record mark "a" as mark site 0
  return
}
}

// -----

// Without scopes nothing is allocated.
// CHECK-LABEL: @nothing
// CHECK-NOT: prof.buffer_alloc
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<shared, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
func.func @nothing() {
  return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [4], bytes = 0, stages = false, max_ctas = 0>} {
// expected-error@+2 {{the profiler selects warp 4, but a block of this kernel has 4 warps}}
// expected-note@+1 {{hint: leave out the selection of warps, or choose among 0 to 3}}
func.func @missing_warp() {
  prof.record mark "a" as mark site 0
  return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<static, circular, clock = 32, units = warp, warps = [], bytes = 65536, stages = false, max_ctas = 8192>} {
// expected-error@+2 {{the records of 8192 blocks do not fit into a static variable, which can hold the records of 4094 blocks}}
// expected-note@+1 {{hint: lower max_blocks or bytes_per_warp, or leave out}}
func.func @too_many_blocks() {
  prof.record mark "a" as mark site 0
  return
}
}

// -----

// Without a kernel, this pass is the first one to ask for the number of warps.
// expected-error @below {{the module must have a target (hk.target) and number of warps (hk.num_warps)}}
module attributes {hk.target = "sm_90a", hk.shared_bytes = 114688 : i32,
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
func.func @without_facts() {
  prof.record mark "a" as mark site 0
  return
}
}
