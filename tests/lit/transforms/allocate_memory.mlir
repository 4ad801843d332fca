// RUN: hocket-opt %s --split-input-file --hocket-allocate-memory --verify-diagnostics | FileCheck %s

#blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<1024xf32, #blocked>
!smem = !hk.memdesc<1024xf32, #shared>

// Buffers that are never live together share memory. The table of buffers gives the owner of each byte range.
// CHECK: module attributes {hk.buffers = [#hk.buffer<name = "`a_smem`", offset = 0, bytes = 4096>,
// CHECK-SAME: #hk.buffer<name = "the buffer allocated in line {{[0-9]+}}", offset = 0, bytes = 4096>],
// CHECK-SAME: hk.num_warps = 4 : i32, hk.shared_bytes = 4096 : i32
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
  // CHECK-LABEL: @one_after_the_other
  func.func public @one_after_the_other(%x: !tile) -> !tile {
    // CHECK: local_alloc {{.*}}name = "a_smem" offset = 0
    %a = hk.local_alloc %x name = "a_smem" : (!tile) -> !smem
    %y = hk.local_load %a : !smem -> !tile
    // CHECK: local_alloc {{.*}}offset = 0
    %b = hk.local_alloc %y : (!tile) -> !smem
    %z = hk.local_load %b : !smem -> !tile
    return %z : !tile
  }
}

// -----

#blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!small = !hk.memdesc<256xf32, #shared>
!large = !hk.memdesc<1024xf32, #shared>

// The largest buffer is placed first; buffers that are live with it come after it. The third fits in place of the
// second.
// CHECK: hk.shared_bytes = 5120 : i32
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
  // CHECK-LABEL: @largest_first
  func.func public @largest_first(%x: tensor<256xf32, #blocked>) -> tensor<1024xf32, #blocked> {
    // CHECK: %[[A:.*]] = hk.local_alloc offset = 4096
    %a = hk.local_alloc : () -> !small
    // CHECK: hk.local_alloc offset = 0
    %b = hk.local_alloc : () -> !large
    // CHECK: hk.local_store %{{.*}}, %[[A]]
    hk.local_store %x, %a : tensor<256xf32, #blocked> -> !small
    // CHECK: hk.local_alloc offset = 4096
    %c = hk.local_alloc : () -> !small
    hk.local_store %x, %c : tensor<256xf32, #blocked> -> !small
    %y = hk.local_load %b : !large -> tensor<1024xf32, #blocked>
    return %y : tensor<1024xf32, #blocked>
  }
}

// -----

#blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<256xf32, #blocked>
!smem = !hk.memdesc<256xf32, #shared>

// %a is used in the loop, so it lives to the loop's end: the next iteration reads it again. %b, allocated after that
// use, may not take its place; %c, allocated after the loop, may.
// CHECK: hk.shared_bytes = 4096 : i32
module attributes {hk.num_warps = 4 : i32, hk.target = "gfx950"} {
  // CHECK-LABEL: @loop
  func.func public @loop(%x: !tile, %n: i32) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: local_alloc {{.*}}offset = 0
    %a = hk.local_alloc %x : (!tile) -> !smem
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> !tile : i32 {
      %y = hk.local_load %a : !smem -> !tile
      // CHECK: local_alloc {{.*}}offset = 1024
      %b = hk.local_alloc %y : (!tile) -> !smem
      %z = hk.local_load %b : !smem -> !tile
      scf.yield %z : !tile
    }
    // CHECK: local_alloc {{.*}}offset = 0
    %c = hk.local_alloc %r : (!tile) -> !smem
    %w = hk.local_load %c : !smem -> !tile
    return %w : !tile
  }

  // A view, and a result of scf.if, keep their buffer alive.
  // CHECK-LABEL: @views
  func.func public @views(%x: !tile, %p: i1) -> !tile {
    %c1 = arith.constant 1 : i32
    // CHECK: local_alloc offset = 0
    %ring = hk.local_alloc : () -> !hk.memdesc<2x256xf32, #shared>
    %slot = hk.memdesc_index %ring[%c1] : !hk.memdesc<2x256xf32, #shared> -> !smem
    %one = scf.if %p -> !smem {
      scf.yield %slot : !smem
    } else {
      // CHECK: local_alloc offset = 2048
      %d = hk.local_alloc : () -> !smem
      scf.yield %d : !smem
    }
    // CHECK: local_alloc offset = 3072
    %b = hk.local_alloc : () -> !smem
    hk.local_store %x, %b : !tile -> !smem
    %y = hk.local_load %one : !smem -> !tile
    return %y : !tile
  }
}

// -----

#rows = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#columns = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>

// Scratch is live during its operation only, so the second conversion reuses the scratch of the first.
// CHECK: hk.shared_bytes = [[BYTES:[0-9]+]] : i32
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
  // CHECK-LABEL: @scratch
  func.func public @scratch(%x: tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #rows> {
    // CHECK: convert_layout {{.*}}offset = 0
    %y = hk.convert_layout %x : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
    // CHECK: convert_layout {{.*}}offset = 0
    %z = hk.convert_layout %y : tensor<64x64xf32, #columns> -> tensor<64x64xf32, #rows>
    return %z : tensor<64x64xf32, #rows>
  }
}

// -----

#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// Small scratch (here 16 bytes) is not reused: a softmax then needs no barrier between its two reductions.
// CHECK: hk.shared_bytes = 32 : i32
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
  // CHECK-LABEL: @small_scratch_is_private
  func.func public @small_scratch_is_private(%x: tensor<1024xf32, #blocked>) -> (f32, f32) {
    // CHECK: hk.reduce {{.*}}offset = 0
    %a = hk.reduce %x axis = 0 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.maximumf %l, %r : f32
      hk.combine.return %s : f32
    } : (tensor<1024xf32, #blocked>) -> f32
    // CHECK: hk.reduce {{.*}}offset = 16
    %b = hk.reduce %x axis = 0 {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      hk.combine.return %s : f32
    } : (tensor<1024xf32, #blocked>) -> f32
    return %a, %b : f32, f32
  }
}

// -----

// CHECK: hk.shared_bytes = 0 : i32
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
  func.func public @nothing() {
    return
  }
}

// -----

// Reserved memory, and buffers that already have an offset, keep their offsets.
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
// CHECK: hk.buffers = [#hk.buffer<name = "`before`", offset = 0, bytes = 256>, #hk.buffer<name = "`after`", offset = 256, bytes = 256>]
// CHECK-SAME: hk.shared_bytes = 512 : i32
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a", hk.shared_bytes = 256 : i32,
                   hk.buffers = [#hk.buffer<name = "`before`", offset = 0, bytes = 256>]} {
  // CHECK-LABEL: @second_asker
  func.func public @second_asker() {
    // CHECK: hk.local_alloc name = "before" offset = 0
    %a = hk.local_alloc name = "before" offset = 0 : () -> !hk.memdesc<64xf32, #shared>
    // CHECK: hk.local_alloc name = "after" offset = 256
    %b = hk.local_alloc name = "after" : () -> !hk.memdesc<64xf32, #shared>
    return
  }
}

// -----

#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
module attributes {hk.num_warps = 4 : i32, hk.target = "gfx942"} {
  func.func public @too_large() {
    // expected-note @below {{16384 bytes for a buffer}}
    %b = hk.local_alloc : () -> !hk.memdesc<4096xf32, #shared>
    // expected-error @below {{the kernel needs 81920 bytes of shared memory, but a block on gfx942 has 65536}}
    // expected-note @below {{65536 bytes for a buffer}}
    // expected-note @below {{hint: use smaller tiles or fewer buffers; buffers that are never in use together share memory}}
    %a = hk.local_alloc : () -> !hk.memdesc<4x4096xf32, #shared>
    %x = hk.local_load %b : !hk.memdesc<4096xf32, #shared> -> tensor<4096xf32, #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [4], order = [0]>>
    return
  }
}

// -----

// No buffer is placed here, so the error is reported at the module.
// expected-error @below {{the kernel needs 1048576 bytes of shared memory, but a block on gfx950 has 163840}}
// expected-note @below {{1048576 bytes were reserved before}}
// expected-note @below {{hint: use smaller tiles}}
module attributes {hk.num_warps = 4 : i32, hk.target = "gfx950", hk.shared_bytes = 1048576 : i32} {
  func.func public @reserved_too_much() {
    return
  }
}

// -----

#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!smem = !hk.memdesc<256xf32, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
  func.func public @meets_itself(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = hk.local_alloc : () -> !smem
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %a) -> !smem : i32 {
      %b = hk.local_alloc : () -> !smem
      // expected-error @below {{a buffer allocated in a loop is carried into the next iteration}}
      scf.yield %b : !smem
    }
    return
  }
}

// -----

#blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!from = tensor<1024x!hk.ptr<f32>, #blocked>
!tile = tensor<1024xf32, #blocked>
!smem = !hk.memdesc<1024xf32, #shared>

module attributes {hk.num_warps = 4 : i32, hk.target = "gfx942"} {
// A copy may be in flight up to a wait for all copies, so its destination shares memory with no other buffer before it.
// CHECK-LABEL: @copies_in_flight
func.func @copies_in_flight(%p: !from, %x: !tile) {
  // CHECK: hk.local_alloc offset = 0
  %a = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %a : !from -> !smem
  hk.async_commit_group
  hk.async_wait_group {outstanding = 1 : i32}
  // CHECK: hk.local_alloc %{{.+}} offset = 4096
  %b = hk.local_alloc %x : (!tile) -> !smem
  hk.async_wait_group {outstanding = 0 : i32}
  // CHECK: hk.local_alloc %{{.+}} offset = 0
  %c = hk.local_alloc %x : (!tile) -> !smem
  // CHECK: hk.local_alloc offset = 0
  %d = hk.local_alloc : () -> !smem
  hk.async_copy_to_shared %p, %d : !from -> !smem
  // CHECK: hk.local_alloc %{{.+}} offset = 4096
  %e = hk.local_alloc %x : (!tile) -> !smem
  return
}
}

// -----

#blocked = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<1024xf32, #blocked>
!smem = !hk.memdesc<1024xf32, #shared>

module attributes {hk.num_warps = 8 : i32, hk.target = "gfx942"} {
// The groups of warps are in different stages at a time: what one stage uses shares no memory with what another uses. A
// buffer may be the result of a stage.
// CHECK-LABEL: @stages
func.func @stages(%x: !tile, %p: tensor<1024x!hk.ptr<f32>, #blocked>) {
  // CHECK: hk.local_alloc %{{.+}} offset = 0
  %a = hk.local_alloc %x : (!tile) -> !smem
  // CHECK: hk.stage "read"
  %y = hk.stage "read" -> !tile {
    %v = hk.local_load %a : !smem -> !tile
    hk.stage_yield %v : !tile
  }
  // CHECK: hk.stage "write"
  // CHECK: hk.local_alloc %{{.+}} offset = 4096
  %b = hk.stage "write" -> !smem {
    %buffer = hk.local_alloc %y : (!tile) -> !smem
    hk.stage_yield %buffer : !smem
  }
  hk.stage "read it" {
    %z = hk.local_load %b : !smem -> !tile
    hk.store %p, %z : tensor<1024x!hk.ptr<f32>, #blocked>, !tile
  }
  // CHECK: hk.local_alloc %{{.+}} offset = 0
  %c = hk.local_alloc %x : (!tile) -> !smem
  return
}
}
