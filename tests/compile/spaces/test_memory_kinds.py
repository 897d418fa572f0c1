import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.boards.load import load_board, require_hbm
from sttest.boards.resources import BRAM18_BITS, URAM_BITS, Resources, slr_capacity, total
from sttest.compile.spaces.memory import MemoryFacts, choice_of, choose_memories, unevenness
from sttest.core.errors import InputError

BOARD = total(slr_capacity(slr) for slr in require_hbm(load_board("u55c")).fabric.slrs)


def chosen(role, depth, bits, **options):
    return choose_memories([MemoryFacts("m", "p", role, depth, bits, **options)], BOARD)[0]


@pytest.mark.parametrize(
    ("role", "depth", "bits", "kind"),
    [
        ("fifo", 16, 512, "lutram"),  # wide and shallow: a row of blocks would be nearly empty
        ("fifo", 2, 4096, "lutram"),
        ("fifo", 1024, 18, "bram"),  # one block, full
        ("fifo", 4096, 72, "uram"),  # one block, full
        ("converter", 64, 8, "lutram"),
        ("converter", 2048, 9, "bram"),
        ("tile", 1, 1024, "register"),
    ],
)
def test_kinds_by_size_width_and_depth(role, depth, bits, kind):
    assert chosen(role, depth, bits).kind == kind


def test_what_the_timed_graph_reads_as_a_shift_register_is_one():
    assert chosen("fifo", 16, 64, shift_register=True).kind == "srl"
    assert chosen("fifo", 2, 32, shift_register=True).kind in ("register", "srl")


def test_waste_is_what_a_block_has_beyond_the_words():
    full = choice_of(MemoryFacts("m", "p", "converter", 512, 36), "bram")
    assert (full.capacity_bits, full.waste) == (BRAM18_BITS, 0)
    half = choice_of(MemoryFacts("m", "p", "converter", 256, 36, banks=4), "bram")
    assert (half.capacity_bits, half.waste) == (4 * BRAM18_BITS, 0.5)
    narrow = choice_of(MemoryFacts("m", "p", "converter", 4096, 8), "uram")
    assert narrow.capacity_bits == URAM_BITS
    assert narrow.waste == pytest.approx(1 - 8 / 72)


def test_scarcity_decides():
    no_blocks = Resources(dsp=1, lut=1e6, ff=2e6, bram18=0, uram=960)
    assert choose_memories([MemoryFacts("m", "p", "converter", 2048, 9)], no_blocks)[0].kind == "uram"


def test_where_logic_has_taken_the_luts_more_goes_into_blocks():
    facts = [MemoryFacts(f"m{n}", "p", "converter", 128, 32) for n in range(100)]
    alone = choose_memories(facts, BOARD)
    crowded = choose_memories(facts, BOARD, Resources(lut=BOARD.lut))
    assert sum(choice.kind == "lutram" for choice in alone) > 50
    assert {choice.kind for choice in crowded} == {"bram", "uram"}


SHAPES = st.tuples(st.integers(1, 20000), st.integers(1, 4096), st.integers(1, 16))


@settings(max_examples=40, deadline=None)
@given(shapes=st.lists(SHAPES, min_size=1, max_size=8), lut=st.integers(0, 1_000_000))
def test_no_single_change_fills_the_board_more_evenly(shapes, lut):
    facts = [MemoryFacts(f"m{n}", "p", "converter", *shape) for n, shape in enumerate(shapes)]
    chosen = choose_memories(facts, BOARD, Resources(lut=lut))
    assert [choice.facts for choice in chosen] == facts
    assert all(0 <= choice.waste < 1 for choice in chosen)
    used = [choice.resources for choice in chosen]
    least = unevenness(total([Resources(lut=lut), *used]), BOARD)
    for number, each in enumerate(facts):
        for kind in ["register"] if each.depth == 1 else ["bram", "uram"] if each.depth > 128 else ["lutram", "bram"]:
            others = [*used[:number], choice_of(each, kind).resources, *used[number + 1 :]]
            assert unevenness(total([Resources(lut=lut), *others]), BOARD) >= least - 1e-9


def test_a_memory_without_bits_is_refused():
    with pytest.raises(InputError, match="no bits"):
        chosen("tile", 0, 8)


def test_memories_of_one_process_are_spread_over_kinds_where_one_is_too_much_of_a_process():
    """32 FIFOs of 984 words of 256 bits: 128 UltraRAMs, of which a process may have 80; block RAM takes the rest."""
    memories = [MemoryFacts(f"m{n}", "gather", "fifo", 984, 256) for n in range(32)]
    board, most = Resources(8000, 1_000_000, 2_000_000, 3500, 960), Resources(666, 91_080, 182_160, 288, 80)
    logic = Resources(bram18=2500)  # so that all would be UltraRAM
    free, held = choose_memories(memories, board, logic), choose_memories(memories, board, logic, most)
    assert total(each.resources for each in free).shares_of(most).largest > 1
    assert total(each.resources for each in held).shares_of(most).largest <= 1
    assert {each.kind for each in held} == {"bram", "uram"}
    tiny = Resources(1, 1, 1, 1, 1)
    assert choose_memories(memories, board, logic, tiny) == free
