// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// Attributes of modules, functions, operations and accesses: one case per numbered constraint, named after it.

// dialect C1: unknown target
// expected-error@+1 {{hk.target is "sm_12", but must be one of "sm_80", "sm_90a", "gfx942", "gfx950"}}
module attributes {hk.target = "sm_12"} {}

// -----

// dialect C1: target of a function
// expected-error@+1 {{hk.target belongs on the module}}
func.func private @f() attributes {hk.target = "sm_80"}

// -----

// dialect C2: number of warps
// expected-error@+1 {{hk.num_warps must be an i32 and a power of two or 12, but is 3 : i32}}
module attributes {hk.num_warps = 3 : i32} {}

// -----

// dialect C2: number of warps of the target
// expected-error@+1 {{hk.num_warps must be at most 32 on sm_90a, but is 64}}
module attributes {hk.target = "sm_90a", hk.num_warps = 64 : i32} {}

// -----

// module C8
// expected-error@+1 {{hk.implicit of argument 0 must be an #hk.implicit on a pointer of a function, but is unit}}
func.func @implicit_of_what(%x: !hk.ptr<i8> {hk.implicit}) {
  return
}

// -----

// module C8
// expected-error@+1 {{argument 1 must come before the implicit argument 0}}
func.func @implicit_first(%x: !hk.ptr<i8> {hk.implicit = #hk.implicit<scratch, bytes_per_launch = 4, bytes_per_block = 0>}, %y: !hk.ptr<i8>) {
  return
}

// -----

// implicit C1
// expected-error@+1 {{bytes_per_launch and bytes_per_block must not be negative, but are -1 and 0}}
func.func @negative(%x: !hk.ptr<i8> {hk.implicit = #hk.implicit<scratch, bytes_per_launch = -1, bytes_per_block = 0>}) {
  return
}

// -----

// module C7
// expected-error@+1 {{the module must have a target (hk.target) and number of warps (hk.num_warps)}}
module attributes {hk.target = "sm_90a"} {
func.func @kernel() attributes {hk.kernel} {
  return
}
}

// -----

// expected-error@+1 {{hk.maxnreg must be an i32 and positive, but is 0 : i32}}
module attributes {hk.maxnreg = 0 : i32} {
}

// -----

// expected-error@+1 {{hk.waves_per_eu must be an i32 and positive, but is 2 : i64}}
module attributes {hk.waves_per_eu = 2} {
}

// -----

// expected-error@+1 {{hk.fp_fusion must be true or false, but is 1 : i32}}
module attributes {hk.fp_fusion = 1 : i32} {
}

// -----

// dialect C3: shared bytes
// expected-error@+1 {{hk.shared_bytes must be an i32 and not negative, but is -4 : i32}}
module attributes {hk.shared_bytes = -4 : i32} {}

// -----

// offset of a MemoryOwner
#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @f() {
  // expected-error@+1 {{'hk.local_alloc' op attribute 'offset' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative whose maximum value is 1048575}}
  %far = hk.local_alloc offset = 2147483647 : () -> !hk.memdesc<8xi32, #s1>
  return
}

// -----

#s1 = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
func.func @offset_type() {
  // expected-error@+1 {{'hk.local_alloc' op attribute 'offset' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative whose maximum value is 1048575}}
  %0 = hk.local_alloc {offset = 16 : i64} : () -> !hk.memdesc<8xi32, #s1>
  return
}

// -----

// dialect C4: divisibility
// expected-error@+1 {{hk.divisibility of argument 0 must be an i32 and a power of two, but is 12 : i32}}
func.func private @f(!hk.ptr<f32> {hk.divisibility = 12 : i32})

// -----

// dialect C5: lanes of the target
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func @f() attributes {hk.kernel} {
  // expected-error@+1 {{layout #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [4], order = [0]> has 64 lanes, but a warp of sm_90a has 32}}
  %0 = hk.arange 0 to 128 : tensor<128xi32, #b>
  return
}
}

// -----

// dialect C5: number of warps
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {
func.func @f() attributes {hk.kernel} {
  // expected-error@+1 {{layout #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]> has 4 warps, but 8 run the operation}}
  %0 = hk.arange 0 to 128 : tensor<128xi32, #b>
  return
}
}

// -----

// dialect C12: attributes of the dialect
// expected-error@+1 {{hk.nuw_warps is not an attribute of the dialect 'hk'}}
module attributes {hk.nuw_warps = 4 : i32} {}

// -----

// dialect C12: types and operations of attributes
// expected-error@+1 {{hk.keep_waits must be a unit attribute, but is true}}
module attributes {hk.keep_waits = true} {}

// -----

// expected-error@+1 {{hk.buffers must be an array of #hk.buffer, but is 4 : i32}}
module attributes {hk.buffers = 4 : i32} {}

// -----

// expected-error@+1 {{hk.workers must be an array of #hk.worker, but is ["load"]}}
module attributes {hk.workers = ["load"]} {}

// -----

// buffer C1
// expected-error@+1 {{offset and bytes must not be negative, but are -16 and 4}}
module attributes {hk.buffers = [#hk.buffer<name = "a", offset = -16, bytes = 4>]} {}

// -----

// buffer C2
// expected-error@+1 {{a buffer of mbarriers needs both arrivals and copies, arrays of strings}}
module attributes {hk.buffers = [#hk.buffer<name = "a", offset = 0, bytes = 8, arrivals = ["line 2"]>]} {}

// -----

// worker C1
// expected-error@+1 {{first_warp must not be negative, and num_warps must be positive, but they are 4 and 0}}
module attributes {hk.workers = [#hk.worker<name = "load", first_warp = 4, num_warps = 0>]} {}

// -----

// message_site C1
// expected-error@+1 {{a site with shows_index needs fails_at}}
module attributes {hk.messages = [#hk.message_site<text = "no", shows_index = true>]} {}

// -----

// sync_site C1
// expected-error@+1 {{earlier and later must be given together, with their locations}}
module attributes {hk.synchronization = [#hk.sync_site<what = "barrier", at = loc("k.py":1:1), earlier = "store", why = "">]} {}

// -----

// access C1
// expected-error@+1 {{dim must not be negative, and width must be at least 2, but they are 0 and 1}}
module attributes {hk.access = #hk.access<dim = 0, width = 1>} {}

// -----

// expected-error@+1 {{hk.series belongs on an scf.for}}
func.func private @f() attributes {hk.series = 0 : i32}

// -----

// expected-error@+1 {{hk.num_stages belongs on an scf.for or the module}}
func.func private @f() attributes {hk.num_stages = 2 : i32}

// -----

// expected-error@+1 {{hk.kernel must be a unit attribute, but is 1 : i32}}
func.func private @f() attributes {hk.kernel = 1 : i32}

// -----

// expected-error@+1 {{hk.kernel belongs on a function}}
module attributes {hk.kernel} {}

// -----

// dialect C9
func.func @negative_lag(%n: index) {
  // expected-error@+1 {{hk.pipelined must be an i32 from 1 to 256, but is -1 : i32}}
  scf.for %i = %n to %n step %n {
  } {hk.pipelined = -1 : i32}
  return
}

// -----

func.func @lags_that_decrease() {
  // expected-error@+1 {{hk.group_lags must be an array of i32 that begins with 0, does not decrease and ends with 1 to 256, but is array<i32: 0, 2, 1>}}
  hk.stage_begin "load" {hk.group_lags = array<i32: 0, 2, 1>}
  return
}

// -----

func.func @no_high_group() {
  // expected-error@+1 {{hk.low_groups must be an i32 from 1 to 3, but is 4 : i32}}
  hk.group_barrier low {hk.low_groups = 4 : i32}
  return
}

// -----

// dialect C9
func.func @unrolled_once(%n: index) {
  // expected-error@+1 {{hk.unroll must be an i32 from 2 to 256, but is 1 : i32}}
  scf.for %i = %n to %n step %n {
  } {hk.unroll = 1 : i32}
  return
}

// -----

// dialect C9
// expected-error@+1 {{hk.unroll belongs on an scf.for}}
func.func private @unrolled_function() attributes {hk.unroll = 2 : i32}

// -----

// dialect C9
// expected-error@+1 {{hk.num_stages must be an i32 from 1 to 256, but is 1000 : i32}}
module attributes {hk.num_stages = 1000 : i32} {}

// -----

// cache_policy C1
// expected-error@+1 {{no_allocate is a priority of l1, not of l2}}
func.func @f() attributes {p = #hk.cache_policy<l2 = no_allocate>} { return }

// -----

// cache_policy C2
// expected-error@+1 {{secondary must be none, evict_first or evict_unchanged, but is evict_last}}
func.func @f() attributes {p = #hk.cache_policy<l2 = evict_last, secondary = evict_last>} { return }

// -----

// cache_policy C3
// expected-error@+1 {{fraction must be above 0 and at most 1, but is 0}}
func.func @f() attributes {p = #hk.cache_policy<l2 = evict_last, fraction = 0.0 : f32>} { return }

// -----

// cache_policy C4
// expected-error@+1 {{prefetch must be 0, 64, 128 or 256, but is 32}}
func.func @f() attributes {p = #hk.cache_policy<prefetch = 32>} { return }
