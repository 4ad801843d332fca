// RUN: hocket-opt %s --split-input-file --hocket-minimize-waits --verify-diagnostics

// Copies that complete with a phase of an mbarrier, and whose tiles are certainly read or overwritten too early.

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#one = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [1, 1], order = [1, 0]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<64x64xf16, #rows>
!worker_tile = tensor<64x64xf16, #one>
!smem = !hk.memdesc<64x64xf16, #shared>
!bar = !hk.memdesc<1xi64, #flat>
!desc = !hk_nv.tensor_desc<64x64xf16, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

func.func @waits(%desc: !desc) -> !tile {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !bar
  hk_nv.tma_load %desc[%c0, %c0], %a, %bar, %true : !desc -> !smem, !bar
  hk_nv.mbarrier_wait %bar, %c0 : !bar
  %x = hk.local_load %a : !smem -> !tile
  return %x : !tile
}

func.func @waits_for_another(%desc: !desc) -> !tile {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !bar
  %other = hk.local_alloc : () -> !bar
  hk_nv.tma_load %desc[%c0, %c0], %a, %bar, %true : !desc -> !smem, !bar
  hk_nv.mbarrier_wait %other, %c0 : !bar
  // expected-error@+2 {{this reads the tile before the load}}
  // expected-note@+1 {{hint: write mbarrier.wait(barrier, phase)}}
  %x = hk.local_load %a : !smem -> !tile
  return %x : !tile
}

}

// -----

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#one = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [1, 1], order = [1, 0]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<64x64xf16, #rows>
!worker_tile = tensor<64x64xf16, #one>
!smem = !hk.memdesc<64x64xf16, #shared>
!bar = !hk.memdesc<1xi64, #flat>
!desc = !hk_nv.tensor_desc<64x64xf16, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// A condition may be that of the load, or of a wait elsewhere.
func.func @under_a_condition(%desc: !desc, %loads: i1, %zero: !tile) -> !tile {
  %c0 = arith.constant 0 : i32
  %a = hk.local_alloc %zero : (!tile) -> !smem
  %bar = hk.local_alloc : () -> !bar
  hk_nv.tma_load %desc[%c0, %c0], %a, %bar, %loads : !desc -> !smem, !bar
  hk_nv.mbarrier_wait %bar, %c0 pred %loads : !bar
  %x = hk.local_load %a : !smem -> !tile
  return %x : !tile
}

// The first iteration waits for nothing, and reads nothing.
func.func @in_later_iterations(%desc: !desc, %n: i32, %zero: !tile) -> !tile {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %bar = hk.local_alloc : () -> !bar
  hk_nv.tma_load %desc[%c0, %c0], %a, %bar, %true : !desc -> !smem, !bar
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %reads = arith.cmpi sgt, %k, %c0 : i32
    %next = scf.if %reads -> !tile {
      %x = hk.local_load %a : !smem -> !tile
      scf.yield %x : !tile
    } else {
      scf.yield %acc : !tile
    }
    hk_nv.mbarrier_wait %bar, %c0 : !bar
    scf.yield %next : !tile
  }
  return %sum : !tile
}

// Another partition waits, and tells this one.
func.func @through_another_partition(%desc: !desc) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %full = hk.local_alloc : () -> !bar
  %told = hk.local_alloc : () -> !bar
  hk.warp_specialize {
    hk_nv.tma_load %desc[%c0, %c0], %a, %full, %true : !desc -> !smem, !bar
    hk_nv.mbarrier_wait %full, %c0 : !bar
    hk_nv.mbarrier_arrive %told, 1 : !bar
    hk.warp_yield
  } workers {
    hk.worker "read"(%a, %told : !smem, !bar) num_warps = 1 {
    ^bb0(%t: !smem, %b: !bar):
      %zero = arith.constant 0 : i32
      hk_nv.mbarrier_wait %b, %zero : !bar
      %x = hk.local_load %t : !smem -> !worker_tile
      hk.local_store %x, %t : !worker_tile -> !smem
      hk.worker_end
    }
  }
  return
}

func.func @told_nothing(%desc: !desc) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %full = hk.local_alloc : () -> !bar
  hk.warp_specialize {
    hk_nv.tma_load %desc[%c0, %c0], %a, %full, %true : !desc -> !smem, !bar
    hk_nv.mbarrier_wait %full, %c0 : !bar
    hk.warp_yield
  } workers {
    hk.worker "read"(%a : !smem) num_warps = 1 {
    ^bb0(%t: !smem):
      // expected-error@+2 {{this reads the tile before the load}}
      // expected-note@+1 {{hint: write mbarrier.wait(barrier, phase)}}
      %x = hk.local_load %t : !smem -> !worker_tile
      hk.worker_end
    }
  }
  return
}

}

// -----

#one = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [4, 8], warps_per_cta = [1, 1], order = [1, 0]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#flat = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!worker_tile = tensor<64x64xf16, #one>
!smem = !hk.memdesc<64x64xf16, #shared>
!bar = !hk.memdesc<1xi64, #flat>
!desc = !hk_nv.tensor_desc<64x64xf16, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// The loop may run once: then the tile is filled once. Nothing says that the reader wants to be waited for.
func.func @perhaps_once(%desc: !desc, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %full = hk.local_alloc : () -> !bar
  hk.warp_specialize {
    scf.for %k = %c0 to %n step %c1 : i32 {
      hk_nv.tma_load %desc[%k, %c0], %a, %full, %true : !desc -> !smem, !bar
    }
    hk.warp_yield
  } workers {
    hk.worker "read"(%a, %full : !smem, !bar) num_warps = 1 {
    ^bb0(%t: !smem, %b: !bar):
      %zero = arith.constant 0 : i32
      hk_nv.mbarrier_wait %b, %zero : !bar
      %x = hk.local_load %t : !smem -> !worker_tile
      hk.worker_end
    }
  }
  return
}

func.func @twice(%desc: !desc) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %full = hk.local_alloc : () -> !bar
  hk.warp_specialize {
    scf.for %k = %c0 to %c2 step %c1 : i32 {
      // expected-error@+2 {{this overwrites the tile while other warps may read it}}
      // expected-note@+1 {{hint: let the readers arrive at an mbarrier}}
      hk_nv.tma_load %desc[%k, %c0], %a, %full, %true : !desc -> !smem, !bar
    }
    hk.warp_yield
  } workers {
    hk.worker "read"(%a, %full : !smem, !bar) num_warps = 1 {
    ^bb0(%t: !smem, %b: !bar):
      %zero = arith.constant 0 : i32
      hk_nv.mbarrier_wait %b, %zero : !bar
      %x = hk.local_load %t : !smem -> !worker_tile
      hk.worker_end
    }
  }
  return
}

}
