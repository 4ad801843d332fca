// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// C1
func.func @other_values(%n: i32) {
  // expected-error @+1 {{'hk.warp_specialize' op has results of ('f32'), but its body yields ('i32')}}
  %r = hk.warp_specialize -> f32 {
    hk.warp_yield %n : i32
  } workers {
    hk.worker "w" num_warps = 4 {
    }
  }
  return
}

// -----

func.func @no_yield() {
  // expected-error @+1 {{'hk.warp_specialize' op has a body that does not end with hk.warp_yield}}
  hk.warp_specialize {
    hk.barrier
  } workers {
    hk.worker "w" num_warps = 4 {
    }
  }
  return
}

// -----

// C2
func.func @no_workers() {
  // expected-error @+1 {{'hk.warp_specialize' op needs at least one worker, and only workers, in its second region}}
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    hk.barrier
  }
  return
}

// -----

// C3
func.func @nested() {
  hk.warp_specialize {
    // expected-error @+1 {{'hk.warp_specialize' op is in a partition of another one}}
    hk.warp_specialize {
      hk.warp_yield
    } workers {
      hk.worker "w" num_warps = 4 {
      }
    }
    hk.warp_yield
  } workers {
    hk.worker "w" num_warps = 4 {
    }
  }
  return
}

// -----

// C1 of hk.worker
func.func @three_warps() {
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    // expected-error @+1 {{'hk.worker' op runs on 1, 2, 4 or 8 warps, not 3}}
    hk.worker "w" num_warps = 3 {
    }
  }
  return
}

// -----

// C2
func.func @registers() {
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    // expected-error @+1 {{'hk.worker' op has a number of registers that is not a multiple of 8 from 24 to 256: 16}}
    hk.worker "w" num_warps = 4 num_regs = 16 {
    }
  }
  return
}

// -----

// C3
func.func @arguments(%n: i32) {
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    // expected-error @+1 {{'hk.worker' op captures ('i32'), but its arguments are ('f32')}}
    hk.worker "w"(%n : i32) num_warps = 4 {
    ^bb0(%x: f32):
      hk.worker_end
    }
  }
  return
}

// -----

#line = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
func.func @tensor(%x: tensor<128xi32, #line>) {
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    // expected-error @+1 {{'hk.worker' op captures a tensor, which is in the registers of other warps}}
    hk.worker "w"(%x : tensor<128xi32, #line>) num_warps = 4 {
    ^bb0(%y: tensor<128xi32, #line>):
      hk.worker_end
    }
  }
  return
}

// -----

#line = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func public @layout_for_other_warps() attributes {hk.kernel} {
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    hk.worker "w" num_warps = 2 {
      // expected-error @+1 {{layout #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]> has 4 warps, but 2 run the operation}}
      %i = hk.arange 0 to 128 : tensor<128xi32, #line>
    }
  }
  return
}
}

// -----

// expected-error @+1 {{hk.partition must be an #hk.partition, but is 4 : i32}}
func.func @no_partition() attributes {hk.partition = 4 : i32} {
  return
}
