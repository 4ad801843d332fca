// RUN: hocket-opt %s | hocket-opt | FileCheck %s

// Lists that passes record on the module.

// CHECK: module attributes {
// CHECK-SAME: hk.buffers = [#hk.buffer<name = "`a_smem`", offset = 0, bytes = 4096>,
// CHECK-SAME: #hk.buffer<name = "`full`", offset = 4096, bytes = 8, arrivals = ["line 16"], copies = []>]
// CHECK-SAME: hk.messages = [#hk.message_site<text = "[%d] \22x\22: %g\0A">,
// CHECK-SAME: #hk.message_site<text = "no", fails_at = #{{loc[0-9]*}}, shows_index = true>]
// CHECK-SAME: hk.synchronization = [#hk.sync_site<what = "barrier", at = #{{loc[0-9]*}}, written = true, why = "w">,
// CHECK-SAME: #hk.sync_site<what = "barrier", at = #{{loc[0-9]*}}, earlier = "store", earlier_at = #{{loc[0-9]*}}, later = "load", later_at = #{{loc[0-9]*}}, why = "w">]
// CHECK-SAME: hk.workers = [#hk.worker<name = "load", first_warp = 4, num_warps = 1>]
module attributes {
  hk.buffers = [#hk.buffer<name = "`a_smem`", offset = 0, bytes = 4096>,
                #hk.buffer<name = "`full`", offset = 4096, bytes = 8, arrivals = ["line 16"], copies = []>],
  hk.messages = [#hk.message_site<text = "[%d] \22x\22: %g\0A">,
                 #hk.message_site<text = "no", fails_at = loc("kernel.py":3:5), shows_index = true>],
  hk.synchronization = [#hk.sync_site<what = "barrier", at = loc("kernel.py":7:5), written = true, why = "w">,
                        #hk.sync_site<what = "barrier", at = loc("kernel.py":7:5), earlier = "store", earlier_at = loc("kernel.py":6:5),
                                      later = "load", later_at = loc("kernel.py":8:5), why = "w">],
  hk.workers = [#hk.worker<name = "load", first_warp = 4, num_warps = 1>]
} {}
