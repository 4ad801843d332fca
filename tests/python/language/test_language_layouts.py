"""Layouts as Python values: fields, equality, text, and what constructors refuse."""

import pytest

from hocket import language as gl

BLOCKED = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
LINEAR = gl.DistributedLinearLayout([[0, 1]], [[0, 2], [1, 0]], [[2, 0]], [], [4, 4])
PADDED = gl.PaddedSharedLayout([[8, 4]], [[0, 1], [0, 2], [1, 0]], [], [2, 4])

TEXTS = {
    "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])": BLOCKED,
    "SliceLayout(1, BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))": gl.SliceLayout(1, BLOCKED),
    "DistributedLinearLayout([[0, 1]], [[0, 2], [1, 0]], [[2, 0]], [], [4, 4])": LINEAR,
    "DotOperandLayout(0, BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))": gl.DotOperandLayout(0, BLOCKED),
    "SwizzledSharedLayout(4, 1, 8, [1, 0])": gl.SwizzledSharedLayout(4, 1, 8, [1, 0]),
    "PaddedSharedLayout([[8, 4]], [[0, 1], [0, 2], [1, 0]], [], [2, 4])": PADDED,
    "PaddedSharedLayout([[8, 4]], [[0, 1], [0, 2], [1, 0]], [[1, 0]], [4, 4])": gl.PaddedSharedLayout(
        [[8, 4]], [[0, 1], [0, 2], [1, 0]], [[1, 0]], [4, 4]
    ),
    "SharedLinearLayout([[0, 1], [1, 0]])": gl.SharedLinearLayout([[0, 1], [1, 0]]),
    "AutoLayout()": gl.AutoLayout(),
    "CoalescedLayout()": gl.CoalescedLayout(),
}


@pytest.mark.parametrize("text", TEXTS)
def test_text_builds_an_equal_layout(text):
    layout = TEXTS[text]
    assert repr(layout) == text
    again = eval(text, {name: getattr(gl, name) for name in gl.__all__})
    assert again == layout
    assert hash(again) == hash(layout)
    assert layout.mangle().isidentifier()


@pytest.mark.parametrize(
    ("layout", "rank"),
    [
        (BLOCKED, 2),
        (gl.SliceLayout(0, BLOCKED), 1),
        (LINEAR, 2),
        (gl.DotOperandLayout(1, BLOCKED), 2),
        (PADDED, 2),
        (gl.SwizzledSharedLayout(1, 1, 1, [2, 1, 0]), 3),
    ],
)
def test_rank(layout, rank):
    assert layout.rank == rank


def test_constexprs_are_unwrapped():
    warps = gl.constexpr(4)
    assert gl.BlockedLayout([1], [gl.constexpr(32)], [warps], gl.constexpr([0])) == gl.BlockedLayout(
        [1], [32], [4], [0]
    )
    assert gl.SliceLayout(gl.constexpr(1), gl.constexpr(BLOCKED)) == gl.SliceLayout(1, BLOCKED)


def test_tuples_are_lists():
    assert gl.BlockedLayout((1, 4), (8, 4), (4, 1), (1, 0)) == BLOCKED


def test_layouts_are_frozen():
    with pytest.raises(AttributeError):
        BLOCKED.order = [0, 1]


def test_layouts_of_different_classes_differ():
    assert gl.SliceLayout(0, BLOCKED) != gl.DotOperandLayout(0, BLOCKED)
    assert gl.SwizzledSharedLayout(1, 1, 1, [1, 0]) != gl.SwizzledSharedLayout(1, 1, 1, [0, 1])


def test_padded_identity_lists_the_fast_dimension_first():
    layout = gl.PaddedSharedLayout.with_identity_for([[4, 2]], [4, 8], [1, 0])
    assert layout.offset_bases == [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]
    assert gl.PaddedSharedLayout.with_identity_for([[4, 2]], [2, 2], [0, 1]).offset_bases == [[1, 0], [0, 1]]


def test_padded_identity_is_of_the_part_that_a_block_holds():
    layout = gl.PaddedSharedLayout.with_identity_for([[4, 2]], [8, 4], [1, 0], [[1, 0], [0, 0], [2, 0]])
    assert layout.offset_bases == [[0, 1], [0, 2], [1, 0]]
    assert layout.shape == [8, 4]


def test_warps_per_cta_looks_through_slices():
    from hocket.language._layouts import warps_per_cta

    assert warps_per_cta(gl.SliceLayout(1, BLOCKED)) == [4, 1]
    with pytest.raises(TypeError, match="warps_per_cta needs a layout that counts warps"):
        warps_per_cta(3)


def test_warps_per_cta_of_other_layouts_needs_a_shape():
    from hocket.language._layouts import warps_per_cta

    with pytest.raises(TypeError, match="needs the shape of the tile, too"):
        warps_per_cta(LINEAR)
    assert warps_per_cta(LINEAR, [4, 4]) == [2, 1]
    assert warps_per_cta(gl.SliceLayout(1, LINEAR), [4]) == [2, 1]
    diagonal = gl.DistributedLinearLayout([[0, 1]], [[1, 0]], [[2, 2], [0, 2]], [], [4, 4])
    with pytest.raises(ValueError, match="are not along single dimensions: one bit of the warp's number has the basis"):
        warps_per_cta(diagonal, [4, 4])


REFUSED = {
    "BlockedLayout: size_per_thread must hold powers of two, got 3 in [1, 3]":
        lambda: gl.BlockedLayout([1, 3], [8, 4], [4, 1], [1, 0]),
    "BlockedLayout: threads_per_warp has 1 entries where the others have 2: [32]":
        lambda: gl.BlockedLayout([1, 4], [32], [4, 1], [1, 0]),
    "BlockedLayout: order must be a permutation of 0..1, got [1, 1]":
        lambda: gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 1]),
    "BlockedLayout: size_per_thread is empty; layouts have at least one dimension":
        lambda: gl.BlockedLayout([], [], [], []),
    "BlockedLayout: warps_per_cta must be a list of ints, got 4":
        lambda: gl.BlockedLayout([1], [32], 4, [0]),
    "BlockedLayout: cga_layout has the row [1, 0], but the layout has rank 1":
        lambda: gl.BlockedLayout([1], [32], [4], [0], [[1, 0]]),
    "BlockedLayout: cga_layout has 5 rows, for clusters of 32 blocks; they have at most 16":
        lambda: gl.BlockedLayout([1], [32], [4], [0], [[0]] * 5),
    "BlockedLayout: rows of cga_layout are zeros (copies), or the next of 1, 2, 4, ... along one dimension, "
    "got [2] in [[2]]":
        lambda: gl.BlockedLayout([1], [32], [4], [0], [[2]]),
    "SwizzledSharedLayout: rows of cga_layout are zeros (copies), or the next of 1, 2, 4, ... along one dimension, "
    "got [1, 1] in [[1, 1]]":
        lambda: gl.SwizzledSharedLayout(1, 1, 1, [1, 0], [[1, 1]]),
    "SliceLayout: dim must be between 0 and 1, got 2":
        lambda: gl.SliceLayout(2, BLOCKED),
    "SliceLayout: parent has rank 1; slicing needs rank 2 or more":
        lambda: gl.SliceLayout(0, gl.BlockedLayout([1], [32], [4], [0])),
    "SliceLayout: parent must be a distributed layout, got SwizzledSharedLayout(1, 1, 1, [0])":
        lambda: gl.SliceLayout(0, gl.SwizzledSharedLayout(1, 1, 1, [0])),
    "DistributedLinearLayout: the bases do not reach every element of the shape [4]":
        lambda: gl.DistributedLinearLayout([], [[1]], [[1]], [], [4]),
    "SharedLinearLayout: offset_bases and block_bases must reach every element of the shape [2, 2] exactly once "
    "(2 independent rows), got [[0, 1], [1, 0], [1, 1]]":
        lambda: gl.SharedLinearLayout([[0, 1], [1, 0], [1, 1]]),
    "SharedLinearLayout: offset_bases and block_bases must reach every element of the shape [8] exactly once "
    "(3 independent rows), got [[4]]":
        lambda: gl.SharedLinearLayout([[4]]),
    "SharedLinearLayout: a row has 1 entries where the others have 2: [1]":
        lambda: gl.SharedLinearLayout([[0, 1], [1]]),
    "SharedLinearLayout: offset_bases has the row [-1], but coordinates are not negative":
        lambda: gl.SharedLinearLayout([[-1]]),
    "SharedLinearLayout: offset_bases is empty; the rank is not known":
        lambda: gl.SharedLinearLayout([]),
    "SharedLinearLayout: alignment must hold powers of two, got 12 in [12]":
        lambda: gl.SharedLinearLayout([[1]], alignment=12),
    "DotOperandLayout: the parent must have rank 2 or 3, got BlockedLayout([1], [32], [4], [0])":
        lambda: gl.DotOperandLayout(0, gl.BlockedLayout([1], [32], [4], [0])),
    "DistributedLinearLayout: reg_bases has the row [4], outside the shape [4]":
        lambda: gl.DistributedLinearLayout([[4]], [[1]], [[2]], [], [4]),
    "DistributedLinearLayout: reg_bases has the row [1, 0], but the shape [4] has rank 1":
        lambda: gl.DistributedLinearLayout([[1, 0]], [[1]], [[2]], [], [4]),
    "DotOperandLayout: k_width must be 0 for a BlockedLayout parent, got 2":
        lambda: gl.DotOperandLayout(0, BLOCKED, 2),
    "DotOperandLayout: operand_index must be between 0 and 1, got 2":
        lambda: gl.DotOperandLayout(2, BLOCKED),
    "SwizzledSharedLayout: max_phase must hold powers of two, got 6 in [6]":
        lambda: gl.SwizzledSharedLayout(1, 1, 6, [1, 0]),
    "PaddedSharedLayout: interval_padding_pairs must be a list of [interval, padding], got []":
        lambda: gl.PaddedSharedLayout([], [[1]], [], [2]),
    "PaddedSharedLayout: offset_bases must reach every element of the shape [4] exactly once "
    "(2 independent rows), got [[1], [1]]":
        lambda: gl.PaddedSharedLayout([[4, 2]], [[1], [1]], [], [4]),
    "PaddedSharedLayout: offset_bases has the row [2], outside the shape [2]":
        lambda: gl.PaddedSharedLayout([[4, 2]], [[1], [2]], [[1]], [4]),
    "PaddedSharedLayout: rows of cga_layout are zeros (copies), or the next of 1, 2, 4, ... along one dimension, "
    "got [2] in [[2]]":
        lambda: gl.PaddedSharedLayout([[4, 2]], [[1]], [[2]], [4]),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_constructors_say_what_is_wrong(message):
    with pytest.raises(ValueError) as error:
        REFUSED[message]()
    assert str(error.value) == message


@pytest.mark.parametrize("number", [2**40, 2**70])
def test_numbers_beyond_every_tensor(number):
    with pytest.raises(ValueError, match=f"size_per_thread has {number}, but tensors have at most 1048576 elements"):
        gl.BlockedLayout([number], [32], [4], [0])


def test_shapes_of_more_than_every_tensor():
    operand = gl.DotOperandLayout(0, gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2]), 16)
    message = r"shape \[1048576, 4\] has 4194304 elements, but tensors have at most 1048576"
    with pytest.raises(ValueError, match=message):
        gl.amd.cdna4.get_mfma_scale_layout(operand, [1 << 20, 4])
    with pytest.raises(ValueError, match=message):
        gl.to_linear_layout(gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0]), [1 << 20, 4])


def test_functions_in_place_of_numbers():
    with pytest.raises(ValueError, match=r"threads_per_warp must be a list of ints, got \[<function num_lanes>\]"):
        gl.BlockedLayout([1], [gl.num_lanes], [4], [0])
