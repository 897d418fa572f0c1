"""Control of MLIR that integers decide is followed, access by access; what data decide is refused or said."""

import pytest
from mlir_designs import allo_source, put_times

from sttest.core.errors import InputError
from sttest.importers.allo import read_allo

UNKNOWN = "%b = memref.load %m[%c0] : memref<4xi1>\n%q = memref.load %n[] : memref<index>\n"
COUNTED = """%w = scf.while (%i = %c0) : (index) -> index {
  %less = arith.cmpi slt, %i, %c5 : index
  scf.condition(%less) %i : index
} do {
^bb0(%i: index):
  BODY
  %next = arith.addi %i, %c1 : index
  scf.yield %next : index
}
"""


def puts(tmp_path, body, *, takes=4294967296):
    return len(put_times(read_allo(allo_source(tmp_path, body, takes=takes))))


def refusal(tmp_path, body):
    with pytest.raises(InputError) as refused:
        read_allo(allo_source(tmp_path, body))
    return refused.value


def told(tmp_path, body, cycles=()):
    """When PUTs happen, and the notes."""
    notes = []
    return put_times(read_allo(allo_source(tmp_path, body), cycles=cycles, notes=notes)), notes


# --- Integers


@pytest.mark.parametrize(
    ("op", "left", "right", "result"),
    [
        ("addi", -7, 3, -4),
        ("subi", 3, 7, -4),
        ("muli", -7, 3, -21),
        ("divsi", 7, 2, 3),
        ("divsi", -7, 2, -3),  # toward zero
        ("divsi", 7, -2, -3),
        ("divsi", -7, -2, 3),
        ("floordivsi", -7, 2, -4),
        ("ceildivsi", -7, 2, -3),
        ("ceildivsi", 7, 2, 4),
        ("divui", 7, 2, 3),
        ("remsi", -7, 3, -1),  # the sign of the dividend
        ("remsi", 7, -3, 1),
        ("remui", 7, 3, 1),
        ("maxsi", -7, 3, 3),
        ("minsi", -7, 3, -7),
        ("andi", 6, 3, 2),
        ("ori", 6, 3, 7),
        ("xori", 6, 3, 5),
        ("shli", 3, 2, 12),
        ("shrsi", -8, 1, -4),
    ],
)
def test_integers_are_computed_as_mlir_defines(tmp_path, op, left, right, result):
    """One PUT where the result is what it should be, two where it is not."""
    body = f"""%l = arith.constant {left} : i32
    %r = arith.constant {right} : i32
    %k = arith.constant {result} : i32
    %x = arith.{op} %l, %r : i32
    %same = arith.cmpi eq, %x, %k : i32
    scf.if %same {{
      PUT
    }} else {{
      PUT
      PUT
    }}"""
    assert puts(tmp_path, body) == 1


@pytest.mark.parametrize(
    ("predicate", "holds"),
    [
        ("eq", (False, True, False)),
        ("ne", (True, False, True)),
        ("slt", (True, False, False)),
        ("sle", (True, True, False)),
        ("sgt", (False, False, True)),
        ("sge", (False, True, True)),
        ("ult", (True, False, False)),
        ("ule", (True, True, False)),
        ("ugt", (False, False, True)),
        ("uge", (False, True, True)),
    ],
)
def test_comparisons_decide(tmp_path, predicate, holds):
    """Of 2, 3 and 4 with 3: a comparison that holds puts 1, 10 and 100 times."""
    body, expected = (
        "%ten = arith.constant 10 : index\n%hundred = arith.constant 100 : index\n%four = arith.constant 4 : index\n",
        0,
    )
    for number, (left, often, many) in enumerate((("%c2", "%c1", 1), ("%c3", "%ten", 10), ("%four", "%hundred", 100))):
        body += f"""%h{number} = arith.cmpi {predicate}, {left}, %c3 : index
        %n{number} = arith.select %h{number}, {often}, %c0 : index
        scf.for %i{number} = %c0 to %n{number} step %c1 {{
          PUT
        }}
        """
        expected += many * holds[number]
    assert puts(tmp_path, body) == expected


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        ("%x = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%c3)[%c1]", 7),
        ("%x = arith.select %yes, %c3, %q : index", 3),  # the other one is not known, and not taken
        ("%y = arith.index_cast %c5 : index to i32\n%x = arith.index_cast %y : i32 to index", 5),
        (f"{COUNTED.replace('BODY', 'func.call @work() : () -> ()')}\n%x = arith.subi %w, %c1 : index", 4),
        ("%x = scf.if %yes -> (index) {\n scf.yield %c2 : index\n} else {\n scf.yield %c5 : index\n}", 2),
        ("%x = scf.for %i = %c0 to %c3 step %c1 iter_args(%s0 = %c1) -> (index) {\n func.call @work() : () -> ()\n"
         "%s1 = arith.addi %s0, %s0 : index\n scf.yield %s1 : index\n}", 8),
        ("%x = affine.for %i = 0 to 3 iter_args(%s0 = %c1) -> (index) {\n func.call @work() : () -> ()\n"
         "%s1 = arith.addi %s0, %i : index\n affine.yield %s1 : index\n}", 4),  # 1 + 0 + 1 + 2
    ],
)  # fmt: skip
def test_what_integers_give_bounds_a_loop(tmp_path, count, expected):
    body = f"%yes = arith.cmpi eq, %c1, %c1 : index\n{UNKNOWN}{count}\nscf.for %k = %c0 to %x step %c1 {{\n  PUT\n}}"
    assert puts(tmp_path, body) == expected


@pytest.mark.parametrize(
    "count",
    [
        "%x = arith.divsi %c5, %c0 : index",
        "%x = arith.remui %c5, %c0 : index",
        "%x = arith.addi %c5, %q : index",
        "%x = arith.select %b, %c3, %c5 : index",
        "%x = affine.apply affine_map<(d0) -> (d0 + 1)>(%q)",
        "%z = arith.constant 2.0 : f32\n%y = arith.fptosi %z : f32 to i32\n%x = arith.index_cast %y : i32 to index",
        "%y = arith.cmpi eq, %q, %q : index\n%x = arith.select %y, %c3, %c5 : index",
        "%lo, %hi = arith.mului_extended %c5, %c5 : index\n%x = arith.addi %lo, %c0 : index",
        f"{COUNTED.replace('BODY', '')}\n%x = arith.addi %w, %c0 : index",  # nothing in it counts: it is not executed
        "%x = scf.for %i = %c0 to %c3 step %c1 iter_args(%s0 = %c1) -> (index) {\n scf.yield %s0 : index\n}",
        "%x = scf.for %i = %c0 to %q step %c1 iter_args(%s0 = %c1) -> (index) {\n scf.yield %s0 : index\n}",
        "%x = scf.if %b -> (index) {\n scf.yield %c3 : index\n} else {\n scf.yield %c5 : index\n}",
    ],
)
def test_what_is_not_computed_bounds_no_loop(tmp_path, count):
    error = refusal(tmp_path, f"{UNKNOWN}{count}\nscf.for %k = %c0 to %x step %c1 {{\n  PUT\n}}")
    assert error.code == "unknown-control"
    assert error.what == "FIFO accesses cannot be counted: the bounds of a loop around them are not known (scf.for)"


def test_computing_alone_takes_no_time_to_follow_and_none_in_the_graph(tmp_path):
    body = """%huge = arith.constant 4611686018427387904 : index
    PUT
    scf.for %i = %c0 to %huge step %c1 {
      %x = memref.load %n[] : memref<index>
    }
    affine.for %i = 0 to 4611686018427387904 {
      %x = memref.load %n[] : memref<index>
    }
    PUT"""
    assert told(tmp_path, body) == ([1, 2], [])


# --- Loops and conditions


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ("max affine_map<(d0) -> (d0, 2)>(%c1) to min affine_map<()[s0] -> (s0, 9)>()[%c5] step 2", 2),  # 2 and 4
        ("affine_map<(d0)[s0] -> (d0 - s0)>(%c1)[%c3] to affine_map<(d0) -> (d0 * 2)>(%c2)", 6),  # from -2 to 4
        ("5 to 2", 0),
    ],
)
def test_bounds_of_affine_loops_are_maps(tmp_path, bounds, expected):
    assert puts(tmp_path, f"PUT\naffine.for %i = {bounds} {{\n  PUT\n}}") == 1 + expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("affine_set<(d0)[s0] : (d0 - s0 == 0)>(%i)[%c3]", 1),
        ("affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%i)[%c3]", 2),
        ("affine_set<(d0)[s0] : (d0 - 1 >= 0, s0 - d0 >= 0)>(%i)[%c3]", 3),
        ("affine_set<(d0, d1) : (d0 - d1 * 5 >= 0)>(%i, %c1)", 0),
    ],
)
def test_conditions_of_affine_sets_hold_where_all_of_them_do(tmp_path, condition, expected):
    """Of five iterations: where it holds two PUTs, else one."""
    body = f"affine.for %i = 0 to 5 {{\n  affine.if {condition} {{\n    PUT\n    PUT\n  }} else {{\n    PUT\n  }}\n}}"
    assert puts(tmp_path, body) == 5 + expected


def test_a_while_loop_runs_as_often_as_its_condition_holds(tmp_path):
    after = "scf.for %k = %c3 to %w step %c1 {\n  PUT\n}"
    assert puts(tmp_path, COUNTED.replace("BODY", "PUT")) == 5
    assert puts(tmp_path, COUNTED.replace("BODY", "PUT") + after) == 5 + 2  # it gives 5
    before = COUNTED.replace("scf.condition", "PUT\n  scf.condition").replace("BODY", "")
    assert puts(tmp_path, before) == 6  # the condition is asked once more


def test_a_while_loop_ends_although_something_that_it_carries_is_not_known(tmp_path):
    body = """%hundred = arith.constant 100 : index
    %w:2 = scf.while (%i = %c0, %u = %q) : (index, index) -> (index, index) {
      %less = arith.cmpi slt, %i, %hundred : index
      scf.condition(%less) %i, %u : index, index
    } do {
    ^bb0(%i: index, %u: index):
      PUT
      %next = arith.addi %i, %c1 : index
      scf.yield %next, %u : index, index
    }"""
    assert puts(tmp_path, UNKNOWN + body) == 100


def test_a_while_loop_whose_condition_holds_for_ever_runs_as_often_as_others_ask(tmp_path):
    """One PUT, then two a round: for six that are taken three rounds, the last of which leaves one."""
    body = """%yes = arith.cmpi eq, %c1, %c1 : index
    PUT
    scf.while () : () -> () {
      scf.condition(%yes)
    } do {
      PUT
      PUT
      scf.yield
    }"""
    assert puts(tmp_path, body, takes=6) == 1 + 3 * 2


def test_the_rounds_of_a_loop_without_end_repeat_once_what_it_carries_does(tmp_path):
    """One PUT and two in turn, so three in a period: two periods for four that are taken."""
    body = """%yes = arith.cmpi eq, %c1, %c1 : index
    %last = scf.while (%odd = %c0) : (index) -> index {
      scf.condition(%yes) %odd : index
    } do {
    ^bb0(%odd: index):
      %more = arith.addi %odd, %c1 : index
      scf.for %i = %c0 to %more step %c1 {
        PUT
      }
      %next = arith.subi %c1, %odd : index
      scf.yield %next : index
    }"""
    assert puts(tmp_path, body, takes=4) == 2 * 3


@pytest.mark.parametrize("often", [64, 65, 1000])
def test_a_while_loop_that_ends_may_be_long(tmp_path, often):
    body = COUNTED.replace("%c5", "%often").replace("BODY", "PUT")
    assert puts(tmp_path, f"%often = arith.constant {often} : index\n{body}") == often


ROUNDS = {
    "while": """%last = scf.while (%u0 = START) : (index) -> index {
      scf.condition(%yes) %u0 : index
    } do {
    ^bb0(%u0: index):
      BODY
      scf.yield %u1 : index
    }""",
    "for": """%huge = arith.constant 1073741824 : index
    %last = scf.for %i = %c0 to %huge step %c1 iter_args(%u0 = START) -> (index) {
      BODY
      scf.yield %u1 : index
    }""",
}


@pytest.mark.parametrize("kind", ROUNDS)
def test_what_data_decide_may_be_carried_by_a_loop_without_end(tmp_path, kind):
    """Two PUTs a round: three rounds for five that are taken."""
    loop = ROUNDS[kind].replace("START", "%q")
    body = "PUT\nPUT\n%u1 = arith.addi %u0, %c1 : index"
    yes = f"%yes = arith.cmpi eq, %c1, %c1 : index\n{UNKNOWN}"
    assert puts(tmp_path, yes + loop.replace("BODY", body), takes=5) == 6
    error = refusal(tmp_path, yes + loop.replace("BODY", f"scf.for %k = %c0 to %u0 step %c1 {{\nPUT\n}}\n{body}"))
    assert error.what == "FIFO accesses cannot be counted: the bounds of a loop around them are not known (scf.for)"


@pytest.mark.parametrize("kind", ROUNDS)
def test_a_loop_without_end_that_counts_is_refused_for_that(tmp_path, kind):
    loop = ROUNDS[kind].replace("START", "%c0").replace("BODY", "PUT\n%u1 = arith.addi %u0, %c1 : index")
    error = refusal(tmp_path, f"%yes = arith.constant true\n{loop}")
    assert error.what == (
        "FIFO accesses cannot be counted: what a loop without end carries does not repeat in 64 iterations "
        f"(scf.{kind})"
    )


@pytest.mark.parametrize(
    "body",
    [
        "%odd = arith.remui %i, %c2 : index\n%h = arith.cmpi eq, %odd, %c0 : index\nscf.if %h {\nPUT\n}",
        "scf.for %k = %c0 to %i step %c1 {\nPUT\n}",
        "affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {\nPUT\n}",
    ],
)
def test_accesses_that_depend_on_the_round_of_a_loop_without_end_are_refused(tmp_path, body):
    """The first round is not like the others, so it is no period."""
    loop = f"%huge = arith.constant 1073741824 : index\nscf.for %i = %c0 to %huge step %c1 {{\nPUT\n{body}\n}}"
    error = refusal(tmp_path, loop)
    assert error.code == "unknown-control"
    assert "cannot be counted: they depend on the index of a loop without end (" in error.what
    assert puts(tmp_path, loop.replace("1073741824", "3")) >= 3


def test_a_loop_without_end_that_data_let_begin_is_refused(tmp_path):
    loop = (
        ROUNDS["for"]
        .replace("START", "%c0")
        .replace("BODY", "func.call @work() : () -> ()\n%u1 = arith.addi %u0, %c0 : index")
    )
    error = refusal(tmp_path, f"{UNKNOWN}PUT\nscf.if %b {{\n{loop}\n}}\nPUT")
    assert (error.code, error.what) == ("unknown-control", "whether a loop without end begins is not known (scf.if)")
    assert puts(tmp_path, f"PUT\n{loop}\nPUT") == 1


def test_a_loop_without_end_that_never_repeats_is_refused(tmp_path):
    body = """%huge = arith.constant 1073741824 : index
    %last = scf.for %i = %c0 to %huge step %c1 iter_args(%n0 = %c0) -> (index) {
      PUT
      %n1 = arith.addi %n0, %c1 : index
      scf.yield %n1 : index
    }"""
    error = refusal(tmp_path, body)
    assert error.code == "unknown-control"
    assert "what a loop without end carries does not repeat in 64 iterations (scf.for)" in error.what
    assert puts(tmp_path, body.replace("%n1 = arith.addi %n0, %c1", "%n1 = arith.andi %n0, %c1"), takes=3) == 3
    short = body.replace("1073741824", "1000")
    assert puts(tmp_path, short) == 1000


@pytest.mark.parametrize(
    ("control", "why"),
    [
        ("scf.for %i = %c0 to %q step %c1 {\n BODY\n}", "the bounds of a loop around them are not known (scf.for)"),
        ("scf.for %i = %c0 to %c5 step %q {\n BODY\n}", "the bounds of a loop around them are not known (scf.for)"),
        ("scf.for %i = %c0 to %c5 step %c0 {\n BODY\n}", "the bounds of a loop around them are not known (scf.for)"),
        ("affine.for %i = 0 to %q {\n BODY\n}", "the bounds of a loop around them are not known (affine.for)"),
        ("affine.for %i = %q to 9 {\n BODY\n}", "the bounds of a loop around them are not known (affine.for)"),
        ("scf.while () : () -> () {\n %h = memref.load %m[%c0] : memref<4xi1>\n scf.condition(%h)\n} do {\n BODY\n"
         " scf.yield\n}", "the condition of a loop around them depends on data (scf.while)"),
        ("scf.if %b {\n BODY\n}", "whether they happen depends on data (scf.if)"),
        ("affine.if affine_set<(d0) : (d0 >= 1)>(%q) {\n BODY\n}", "whether they happen depends on data (affine.if)"),
    ],
)  # fmt: skip
def test_control_that_data_decide_is_refused_around_accesses_and_said_around_calls(tmp_path, control, why):
    """The call takes 10 cycles, once; in which cycle the second PUT is shows that it is counted."""
    error = refusal(tmp_path, UNKNOWN + control.replace("BODY", "PUT"))
    assert (error.code, error.what) == ("unknown-control", f"FIFO accesses cannot be counted: {why}")
    called = f"{UNKNOWN}PUT\n{control.replace('BODY', 'func.call @work() : () -> ()')}\nPUT"
    note = f"source: calls whose number is not known count once: {why.rpartition(' (')[0]}"
    assert told(tmp_path, called, ["work=10"]) == ([1, 1 + 10 + 1], [note])
    alone = f"{UNKNOWN}PUT\n{control.replace('BODY', '%more = memref.load %n[] : memref<index>')}\nPUT"
    assert told(tmp_path, alone) == ([1, 2], [])


@pytest.mark.parametrize(
    ("region", "name"),
    [
        ("scf.execute_region {\n BODY\n scf.yield\n}", "scf.execute_region"),
        ("scf.index_switch %c1\ncase 1 {\n BODY\n scf.yield\n}\ndefault {\n scf.yield\n}", "scf.index_switch"),
    ],
)
def test_regions_that_are_not_followed_are_named(tmp_path, region, name):
    error = refusal(tmp_path, region.replace("BODY", "PUT"))
    assert error.what == f"FIFO accesses cannot be counted: '{name}', which holds them, is not followed ({name})"
    without = region.replace("BODY", "%more = memref.load %n[] : memref<index>")
    assert told(tmp_path, f"PUT\n{without}\nPUT") == ([1, 2], [])


WORK = "func.call @work() : () -> ()"


@pytest.mark.parametrize(
    ("control", "calls"),
    [
        (f"scf.while () : () -> () {{\n{WORK}\n%h = memref.load %m[%c0] : memref<4xi1>\nscf.condition(%h)\n}} do {{\n"
         "scf.yield\n}", 1),
        (f"scf.while () : () -> () {{\n{WORK}\n%h = memref.load %m[%c0] : memref<4xi1>\nscf.condition(%h)\n}} do {{\n"
         f"{WORK}\nscf.yield\n}}", 2),
        (f"scf.execute_region {{\n{WORK}\nscf.yield\n}}", 1),
        (f"scf.index_switch %q\ncase 1 {{\n{WORK}\nscf.yield\n}}\ndefault {{\n{WORK}\nscf.yield\n}}", 2),
        (f"scf.if %b {{\n}} else {{\n{WORK}\n}}", 1),
        (f"scf.if %b {{\n{WORK}\n}} else {{\n{WORK}\n}}", 2),
        (f"affine.if affine_set<(d0) : (d0 >= 1)>(%q) {{\n}} else {{\n{WORK}\n}}", 1),
        (f"scf.for %i = %c0 to %q step %c1 {{\n scf.for %j = %c0 to %i step %c1 {{\n{WORK}\n}}\n}}", 1),
        (f"scf.for %i = %c0 to %q step %c1 {{\n scf.for %j = %c0 to %c3 step %c1 {{\n{WORK}\n}}\n}}", 3),
        ('"scf.parallel"(%c0, %q, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({\n^bb0(%i: index):\n'
         f'{WORK}\n"scf.reduce"() : () -> ()\n}}) : (index, index, index) -> ()', 1),
    ],
)  # fmt: skip
def test_every_call_in_control_that_is_not_known_counts_once(tmp_path, control, calls):
    """Each takes 100 cycles between two PUTs."""
    cycles, notes = told(tmp_path, f"{UNKNOWN}PUT\n{control}\nPUT", ["work=100"])
    assert cycles == [1, 2 + 100 * calls]
    assert "source: calls whose number is not known count once" in notes[0]


def test_what_a_region_was_given_before_is_not_known_in_control_that_is_not(tmp_path):
    """First %i runs to two; then to what nobody knows, where its last value is none of it."""
    inner = f"scf.for %j = %c0 to %n0 step %c1 {{\n scf.for %k = %c0 to %j step %c1 {{\n{WORK}\n}}\n}}"
    body = f"""%last = scf.for %r = %c0 to %c2 step %c1 iter_args(%n0 = %c3) -> (index) {{
      PUT
      {inner}
      scf.yield %q : index
    }}"""
    cycles, _ = told(tmp_path, f"{UNKNOWN}{body}\nPUT", ["work=100"])
    assert cycles == [1, 2 + 100 * (0 + 1 + 2), 3 + 100 * (0 + 1 + 2) + 100]
