// RUN: hocket-opt %s --hocket-check-warp-branches --split-input-file --verify-diagnostics

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [32, 1], warps_per_cta = [4, 1], order = [1, 0]>

// Arithmetic, and a reduction within lanes: each warp holds whole rows.
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @allowed(%x: tensor<128x8xf32, #rows>, %large: tensor<128x8xi1, #rows>) attributes {hk.kernel} {
  %any = hk.any_in_warp %large : tensor<128x8xi1, #rows>
  %y = scf.if %any -> tensor<128x8xf32, #rows> {
    %most = hk.reduce %x axis = 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      hk.combine.return %c : f32
    } : (tensor<128x8xf32, #rows>) -> tensor<128xf32, #hk.slice<dim = 1, parent = #rows>>
    %twice = arith.addf %x, %x : tensor<128x8xf32, #rows>
    scf.yield %twice : tensor<128x8xf32, #rows>
  } else {
    scf.yield %x : tensor<128x8xf32, #rows>
  }
  return
}
}

// -----

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [32, 1], warps_per_cta = [4, 1], order = [1, 0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>

// Each lane reads for itself.
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @read_of_shared_memory(%tile: !hk.memdesc<128x8xf32, #shared>, %x: tensor<128x8xf32, #rows>, %large: tensor<128x8xi1, #rows>) {
  %any = hk.any_in_warp %large : tensor<128x8xi1, #rows>
  %y = scf.if %any -> tensor<128x8xf32, #rows> {
    %z = hk.local_load %tile : !hk.memdesc<128x8xf32, #shared> -> tensor<128x8xf32, #rows>
    scf.yield %z : tensor<128x8xf32, #rows>
  } else {
    scf.yield %x : tensor<128x8xf32, #rows>
  }
  return
}

// In a branch of a branch, as well.
func.func public @inner_branch(%tile: !hk.memdesc<128x8xf32, #shared>, %x: tensor<128x8xf32, #rows>, %large: tensor<128x8xi1, #rows>, %huge: tensor<128x8xi1, #rows>) {
  %any = hk.any_in_warp %large : tensor<128x8xi1, #rows>
  %y = scf.if %any -> tensor<128x8xf32, #rows> {
    %any_huge = hk.any_in_warp %huge : tensor<128x8xi1, #rows>
    %w = scf.if %any_huge -> tensor<128x8xf32, #rows> {
      %z = hk.local_load %tile : !hk.memdesc<128x8xf32, #shared> -> tensor<128x8xf32, #rows>
      scf.yield %z : tensor<128x8xf32, #rows>
    } else {
      scf.yield %x : tensor<128x8xf32, #rows>
    }
    scf.yield %w : tensor<128x8xf32, #rows>
  } else {
    scf.yield %x : tensor<128x8xf32, #rows>
  }
  return
}
}

// -----

#all = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @barrier_in_an_inner_branch(%large: tensor<128xi1, #all>, %p: i1) attributes {hk.kernel} {
  %any = hk.any_in_warp %large : tensor<128xi1, #all>
  scf.if %any {
    scf.if %p {
      // expected-error@+2 {{the barrier is in a branch that may differ between warps}}
      // expected-note@+1 {{hint: a branch on gl.any_in_warp may contain computation within a warp, but no memory access and no synchronization of warps}}
      hk.barrier
    }
  }
  return
}
}

// -----

#rows = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [32, 1], warps_per_cta = [4, 1], order = [1, 0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @write_of_shared_memory(%tile: !hk.memdesc<128x8xf32, #shared>, %x: tensor<128x8xf32, #rows>, %large: tensor<128x8xi1, #rows>) {
  %any = hk.any_in_warp %large : tensor<128x8xi1, #rows>
  scf.if %any {
    // expected-error@+2 {{the store to shared memory is in a branch that may differ between warps}}
    // expected-note@+1 {{hint: a branch on gl.any_in_warp may contain computation within a warp, but no memory access and no synchronization of warps}}
    hk.local_store %x, %tile : tensor<128x8xf32, #rows> -> !hk.memdesc<128x8xf32, #shared>
  }
  return
}
}

// -----

#all = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @other_use(%large: tensor<128xi1, #all>, %a: i32, %b: i32) attributes {hk.kernel} {
  %any = hk.any_in_warp %large : tensor<128xi1, #all>
  // expected-error@+2 {{this uses the result of gl.any_in_warp, which differs between warps}}
  // expected-note@+1 {{hint: use it only as the condition of an `if`}}
  %c = arith.select %any, %a, %b : i32
  return
}
}

// -----

#all = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @scalar_result(%large: tensor<128xi1, #all>, %a: i32, %b: i32) attributes {hk.kernel} {
  %any = hk.any_in_warp %large : tensor<128xi1, #all>
  // expected-error@+2 {{a branch that may differ between warps cannot assign a scalar}}
  // expected-note@+1 {{hint: only tensors may differ between warps: a scalar is the same in all of them}}
  %c = scf.if %any -> i32 {
    scf.yield %a : i32
  } else {
    scf.yield %b : i32
  }
  return
}
}

// -----

#all = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// Each of the 64 elements is held by two warps.
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @shared_result(%large: tensor<128xi1, #all>, %x: tensor<64xf32, #all>, %y: tensor<64xf32, #all>) attributes {hk.kernel} {
  %any = hk.any_in_warp %large : tensor<128xi1, #all>
  // expected-error@+2 {{a branch that may differ between warps cannot assign a tensor of which several warps hold the same elements}}
  // expected-note@+1 {{hint: choose a layout that divides the tensor among all warps}}
  %z = scf.if %any -> tensor<64xf32, #all> {
    scf.yield %x : tensor<64xf32, #all>
  } else {
    scf.yield %y : tensor<64xf32, #all>
  }
  return
}
}

// -----

#all = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @barrier(%large: tensor<128xi1, #all>) attributes {hk.kernel} {
  %any = hk.any_in_warp %large : tensor<128xi1, #all>
  scf.if %any {
    // expected-error@+2 {{the barrier is in a branch that may differ between warps}}
    // expected-note@+1 {{hint: a branch on gl.any_in_warp may contain computation within a warp, but no memory access and no synchronization of warps}}
    hk.barrier
  }
  return
}
}

// -----

#all = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// The four warps exchange their partial sums.
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func public @sum_of_warps(%large: tensor<128xi1, #all>, %x: tensor<128xf32, #all>) attributes {hk.kernel} {
  %any = hk.any_in_warp %large : tensor<128xi1, #all>
  scf.if %any {
    // expected-error@+2 {{the exchange between warps is in a branch that may differ between warps}}
    // expected-note@+1 {{hint: a branch on gl.any_in_warp may contain computation within a warp, but no memory access and no synchronization of warps}}
    %sum = hk.reduce %x axis = 0 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      hk.combine.return %c : f32
    } : (tensor<128xf32, #all>) -> f32
  }
  return
}
}
