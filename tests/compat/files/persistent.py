"""A persistent loop whose tiles a scheduler hands out."""

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.aggregate
class PersistentScheduler:
    first: gl.tensor
    tiles: gl.tensor
    columns: gl.tensor

    @gluon.constexpr_function
    def __init__(self, first, tiles, columns):
        self.first = first
        self.tiles = tiles
        self.columns = columns

    @staticmethod
    @gluon.jit
    def initialize(M, N, BM: gl.constexpr, BN: gl.constexpr):
        columns = gl.cdiv(N, BN)
        return PersistentScheduler(gl.program_id(0), gl.cdiv(M, BM) * columns, columns)

    @gluon.jit
    def count(self):
        return gl.cdiv(self.tiles - self.first, gl.num_programs(0))

    @gluon.jit
    def tile(self, i):
        index = self.first + i * gl.num_programs(0)
        return index // self.columns, index % self.columns


@gluon.jit
def add_kernel(a_ptr, b_ptr, c_ptr, M, N, BM: gl.constexpr, BN: gl.constexpr, layout: gl.constexpr):
    scheduler = PersistentScheduler.initialize(M, N, BM, BN)
    for i in range(scheduler.count()):
        row, col = scheduler.tile(i)
        rows = row * BM + gl.arange(0, BM, layout=gl.SliceLayout(1, layout))
        cols = col * BN + gl.arange(0, BN, layout=gl.SliceLayout(0, layout))
        offsets = rows[:, None] * N + cols[None, :]
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        total = gl.load(a_ptr + offsets, mask=mask) + gl.load(b_ptr + offsets, mask=mask)
        gl.store(c_ptr + offsets, total, mask=mask)


def main():
    M, N = 150, 210
    a, b = torch.randn(M, N, device="cuda"), torch.randn(M, N, device="cuda")
    c = torch.empty_like(a)
    sms = torch.cuda.get_device_properties("cuda").multi_processor_count
    grid = (min(sms, triton.cdiv(M, 32) * triton.cdiv(N, 32)) // 3,)
    lanes = triton.runtime.driver.active.get_current_target().warp_size
    add_kernel[grid](a, b, c, M, N, 32, 32, gl.BlockedLayout([1, 4], [lanes // 8, 8], [4, 1], [1, 0]))
    torch.cuda.synchronize()
    torch.testing.assert_close(c, a + b, rtol=0, atol=0)
    print("persistent: ok")


if __name__ == "__main__":
    main()
