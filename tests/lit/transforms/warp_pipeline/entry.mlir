// RUN: hocket-opt %s --hocket-allocate-memory --hocket-warp-pipeline-lowering --hocket-insert-barriers | FileCheck %s
//
// Copies that are in flight at the start of a pipeline. The slot of the wait, or a later one, becomes a fence, if the
// reading stage is late enough for both groups of warps.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#turn = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!o = tensor<512xi32, #row>
!t = tensor<512xf32, #turn>
!v = tensor<512xf32, #row>
!a = !hk.memdesc<512xf32, #shared>
!ring3 = !hk.memdesc<3x512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {

// Read one stage after the wait: its slot is the only legal one.
// CHECK-LABEL: @line
// CHECK: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "b"
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier{{$}}
// CHECK-NEXT: hk.sched_barrier stage "c"
// CHECK-NEXT: hk.local_load
// CHECK-NOT: hk.barrier
// CHECK: return
func.func @line(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.stage "a" {
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "b" {
  }
  hk.stage "c" {
    %l = hk.local_load %a : !a -> !t
  }
  return
}

// The latest legal slot is chosen.
// CHECK-LABEL: @latest_slot
// CHECK: hk.async_wait_group
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "b"
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "c"
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "d"
// CHECK: hk.local_load
func.func @latest_slot(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.stage "a" {
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "b" {
  }
  hk.stage "c" {
  }
  hk.stage "d" {
    %l = hk.local_load %a : !a -> !t
  }
  return
}

// A fence before the loop covers the copy: the wait's slot stays a bare barrier.
// CHECK-LABEL: @waited_for_in_front
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.async_wait_group {outstanding = 0 : i32}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NOT: hk.barrier local
// CHECK: return
func.func @waited_for_in_front(%p: !hk.ptr<f32>) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "a" {
    %l = hk.local_load %a : !a -> !t
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "b" {
  }
  return
}

// Slot 0 of the ring has arrived, slot 1 is in flight and arrives at slot 1 of the pipeline; the next iteration reads it.
// CHECK-LABEL: @ring
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.barrier local
// CHECK: scf.for
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "compute"
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "load"
// CHECK: return
func.func @ring(%p: !hk.ptr<f32>, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !ring3
  %s0 = hk.memdesc_index %a[%c0] : !ring3 -> !a
  %s1 = hk.memdesc_index %a[%c1] : !ring3 -> !a
  hk_amd.buffer_load_to_shared %p[%o], %s0 : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk_amd.buffer_load_to_shared %p[%o], %s1 : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.async_wait_group {outstanding = 1 : i32}
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "load" {
      %i = arith.remsi %k, %c3 : i32
      %s = hk.memdesc_index %a[%i] : !ring3 -> !a
      %l = hk.local_load %s : !a -> !t
      %n = arith.addi %k, %c2 : i32
      %j = arith.remsi %n, %c3 : i32
      %d = hk.memdesc_index %a[%j] : !ring3 -> !a
      hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
      hk.async_commit_group
    }
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage "compute" {
    }
  } {hk.pipelined = 1 : i32}
  return
}

// The loop copies nothing and needs no fence itself; the copy before it needs one.
// CHECK-LABEL: @loop_reads_only
// CHECK: scf.for
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "b"
// CHECK: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "c"
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "d"
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "a"
func.func @loop_reads_only(%p: !hk.ptr<f32>, %n: i32, %m: i32, %s: i32) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "a" {
    }
    hk.stage "b" {
    }
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "c" {
    }
    hk.stage "d" {
      %l = hk.local_load %a : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}

// Waited for at the top of the loop, before stage 0.
// CHECK-LABEL: @wait_at_top
// CHECK: scf.for
// CHECK: hk.async_wait_group
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "a"
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "b"
func.func @wait_at_top(%p: !hk.ptr<f32>, %n: i32, %m: i32, %s: i32) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  scf.for %k = %n to %m step %s : i32 {
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "a" {
    }
    hk.stage "b" {
      %l = hk.local_load %a : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}

// The first pipeline waits, the last one reads. The other warps have not been synchronized, so all warps meet in
// between.
// CHECK-LABEL: @past_a_pipeline
// CHECK-COUNT-2: hk.group_barrier
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: hk.local_load
// CHECK: hk.group_barrier
// CHECK-NOT: group_barrier
// CHECK: return
func.func @past_a_pipeline(%p: !hk.ptr<f32>, %n: i32, %m: i32, %s: i32) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.stage "a" {
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "b" {
  }
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "c" {
      %l = hk.local_load %a : !a -> !t
    }
    hk.stage "d" {
    }
  } {hk.pipelined = 1 : i32}
  return
}

// The second pipeline waits for a copy of the first one; all warps have met before it begins.
// CHECK-LABEL: @from_stage_to_stage
// CHECK-COUNT-2: hk.group_barrier
// CHECK-NEXT: hk.barrier local
// CHECK: hk.group_barrier
// CHECK: scf.for
// CHECK: hk.async_wait_group
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "d"
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "e"
// CHECK-NEXT: hk.local_load
// CHECK: hk.group_barrier
func.func @from_stage_to_stage(%p: !hk.ptr<f32>, %n: i32, %m: i32, %s: i32) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !a
  hk.stage "a" {
  }
  hk.stage "b" {
    hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
    hk.async_commit_group
  }
  scf.for %k = %n to %m step %s : i32 {
    hk.stage "c" {
    }
    hk.async_wait_group {outstanding = 0 : i32}
    hk.stage "d" {
    }
    hk.stage "e" {
      %l = hk.local_load %a : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}

// Issued on some paths only.
// CHECK-LABEL: @branch
// CHECK: hk.async_wait_group
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "b"
func.func @branch(%p: !hk.ptr<f32>, %whether: i1) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !a
  scf.if %whether {
    hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
    hk.async_commit_group
  }
  hk.stage "a" {
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "b" {
  }
  hk.stage "c" {
    %l = hk.local_load %a : !a -> !t
  }
  return
}

// After the pipeline the groups have met: hazards that no fence covers need a barrier, the others need none.
// CHECK-LABEL: @behind
// CHECK: hk.async_wait_group
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "c"
// CHECK: hk.local_store
// CHECK: hk.group_barrier
// CHECK-NEXT: hk.local_load %[[A:[0-9]+]]
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.local_load
// CHECK: return
func.func @behind(%p: !hk.ptr<f32>, %x: !t) {
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !a
  %b = hk.local_alloc : () -> !a
  hk_amd.buffer_load_to_shared %p[%o], %a : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk.stage "a" {
  }
  hk.stage "b" {
  }
  hk.async_wait_group {outstanding = 0 : i32}
  hk.stage "c" {
  }
  hk.stage "d" {
    %l = hk.local_load %a : !a -> !t
    hk.local_store %x, %b : !t -> !a
  }
  %l = hk.local_load %a : !a -> !t
  %m = hk.local_load %b : !a -> tensor<512xf32, #row>
  return
}

// An unrolled loop and its remainder. The copies in flight between the two are copies of the remainder's earlier iterations.
// CHECK-LABEL: @series
// CHECK: scf.for
// CHECK-COUNT-2: hk.async_wait_group {outstanding = 1 : i32}
// CHECK: {hk.series = 0 : i32}
// CHECK: scf.for
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "copy"
// CHECK: hk.slot_barrier
// CHECK: {hk.series = 0 : i32}
func.func @series(%p: !hk.ptr<f32>, %m: i32, %end: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !hk.memdesc<4x512xf32, #shared>
  %s0 = hk.memdesc_index %a[%c0] : !hk.memdesc<4x512xf32, #shared> -> !a
  %s1 = hk.memdesc_index %a[%c1] : !hk.memdesc<4x512xf32, #shared> -> !a
  hk_amd.buffer_load_to_shared %p[%o], %s0 : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk_amd.buffer_load_to_shared %p[%o], %s1 : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  scf.for %k = %c0 to %m step %c2 : i32 {
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage "copy" {
      %n = arith.addi %k, %c2 : i32
      %i = arith.andi %n, %c3 : i32
      %d = hk.memdesc_index %a[%i] : !hk.memdesc<4x512xf32, #shared> -> !a
      hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
      hk.async_commit_group
    }
    hk.stage "load" {
      %i = arith.andi %k, %c3 : i32
      %d = hk.memdesc_index %a[%i] : !hk.memdesc<4x512xf32, #shared> -> !a
      %l = hk.local_load %d : !a -> !t
    }
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage "copy" {
      %n = arith.addi %k, %c3 : i32
      %i = arith.andi %n, %c3 : i32
      %d = hk.memdesc_index %a[%i] : !hk.memdesc<4x512xf32, #shared> -> !a
      hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
      hk.async_commit_group
    }
    hk.stage "load" {
      %k1 = arith.addi %k, %c1 : i32
      %i = arith.andi %k1, %c3 : i32
      %d = hk.memdesc_index %a[%i] : !hk.memdesc<4x512xf32, #shared> -> !a
      %l = hk.local_load %d : !a -> !t
    }
  } {hk.pipelined = 1 : i32, hk.series = 0 : i32}
  scf.for %k = %m to %end step %c1 : i32 {
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage "copy" {
      %n = arith.addi %k, %c2 : i32
      %i = arith.andi %n, %c3 : i32
      %d = hk.memdesc_index %a[%i] : !hk.memdesc<4x512xf32, #shared> -> !a
      hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
      hk.async_commit_group
    }
    hk.stage "load" {
      %i = arith.andi %k, %c3 : i32
      %d = hk.memdesc_index %a[%i] : !hk.memdesc<4x512xf32, #shared> -> !a
      %l = hk.local_load %d : !a -> !t
    }
  } {hk.pipelined = 1 : i32, hk.series = 0 : i32}
  return
}

// Filled by a loop of a known number of iterations: slot 0 by the first, which has two commits after it, slot 1 by the
// second, which has one. (The copies of the pipeline itself go into slots 2, 3, ...)
// CHECK-LABEL: @filled_by_a_loop
// CHECK: scf.for
// CHECK: scf.for
// CHECK: hk.async_wait_group {outstanding = 1 : i32}
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.sched_barrier stage "copy"
// CHECK: hk.slot_barrier
func.func @filled_by_a_loop(%p: !hk.ptr<f32>, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !hk.memdesc<4x512xf32, #shared>
  scf.for %k = %c0 to %c2 step %c1 : i32 {
    %d = hk.memdesc_index %a[%k] : !hk.memdesc<4x512xf32, #shared> -> !a
    hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
    hk.async_commit_group
  }
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.async_wait_group {outstanding = 1 : i32}
    hk.stage "copy" {
      %n = arith.addi %k, %c2 : i32
      %i = arith.andi %n, %c3 : i32
      %d = hk.memdesc_index %a[%i] : !hk.memdesc<4x512xf32, #shared> -> !a
      hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
      hk.async_commit_group
    }
    hk.stage "load" {
      %i = arith.andi %k, %c3 : i32
      %d = hk.memdesc_index %a[%i] : !hk.memdesc<4x512xf32, #shared> -> !a
      %l = hk.local_load %d : !a -> !t
    }
  } {hk.pipelined = 1 : i32}
  return
}

// Each warp reads only its own copies, and has waited right before. In the ring this holds for every slot.
// CHECK-LABEL: @own_copies
// CHECK: scf.for
// CHECK: hk.async_wait_group {outstanding = 2 : i32}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "load"
// CHECK: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "copy"
func.func @own_copies(%p: !hk.ptr<f32>, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %o = hk.arange 0 to 512 : !o
  %a = hk.local_alloc : () -> !ring3
  %s0 = hk.memdesc_index %a[%c0] : !ring3 -> !a
  %s1 = hk.memdesc_index %a[%c1] : !ring3 -> !a
  hk_amd.buffer_load_to_shared %p[%o], %s0 : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  hk_amd.buffer_load_to_shared %p[%o], %s1 : !hk.ptr<f32>, !o -> !a
  hk.async_commit_group
  scf.for %k = %c0 to %m step %c1 : i32 {
    hk.stage "copy" {
      %n = arith.addi %k, %c2 : i32
      %i = arith.remsi %n, %c3 : i32
      %d = hk.memdesc_index %a[%i] : !ring3 -> !a
      hk_amd.buffer_load_to_shared %p[%o], %d : !hk.ptr<f32>, !o -> !a
      hk.async_commit_group
    }
    hk.async_wait_group {outstanding = 2 : i32}
    hk.stage "load" {
      %i = arith.remsi %k, %c3 : i32
      %d = hk.memdesc_index %a[%i] : !ring3 -> !a
      %l = hk.local_load %d : !a -> !v
    }
  } {hk.pipelined = 1 : i32}
  return
}
}
