"""SystemVerilog as a tree: what its nodes print, that declarations come before uses, substitution, counting."""

from collections.abc import Iterator

import pytest

from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.compile.compiler import compile_text
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.options import CompileOptions
from sttest.compile.rtl import module_text as library_text
from sttest.compile.rtl.cells import CountedCells
from sttest.compile.rtl.expressions import (
    Concatenation,
    Constant,
    Expression,
    Signal,
    all_of,
    any_of,
    call,
    cast,
    chosen,
    joined,
    names_in,
    names_in_places,
    replaced,
    signed,
    sized,
    sum_of,
    where,
)
from sttest.compile.rtl.module import ModuleText
from sttest.compile.rtl.payload_model import FP_PACKAGE
from sttest.compile.rtl.processes import design_modules
from sttest.compile.rtl.tree import (
    Clocked,
    Combinational,
    Comment,
    Constants,
    Driven,
    ForEach,
    Function,
    Generated,
    IfElse,
    Instance,
    Node,
    Port,
    Register,
    Set,
    Statement,
    Unrolled,
    Wire,
    body_text,
    in_loops,
    instances_in,
    module_text,
    registers_in,
    statement_names,
)
from sttest.frontend.shipped import lowered_text

A, B, C = Signal("a"), Signal("b"), Signal("c")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Constant(7), "7"),
        (sized(7, 4), "4'd7"),
        (Constant(26, 8, "h"), "8'h1a"),
        (A[B + 1], "a[b + 1]"),
        (A.part(8 * B, 4), "a[8 * b +: 4]"),
        ((A + B) * C, "(a + b) * c"),
        (A - (B - C), "a - (b - c)"),
        (A + (B + C), "a + b + c"),
        (A >> 2 << 2, "a >> 2 << 2"),
        ((A | B) & ~C, "(a | b) & ~c"),
        (~(A & B), "~(a & b)"),
        (A.equals(3) & B.below(C), "a == 3 & b < c"),
        ((A & B).equals(1), "(a & b) == 1"),
        ((A % 4).at_least(B / 2), "a % 4 >= b / 2"),
        (where(A.equals(0), 1, where(B, 2, C)), "a == 0 ? 1 : b ? 2 : c"),
        (where(A, where(B, 1, 2), C) + 1, "(a ? (b ? 1 : 2) : c) + 1"),
        (joined([A, B.part(0, 2)]), "{a, b[0 +: 2]}"),
        (Concatenation((A,), 3), "{3{a}}"),
        (cast(8, signed(A)) + cast("int", B), "8'($signed(a)) + int'(b)"),
        (call("fp::fp_add", A, 1), "fp::fp_add(a, 1)"),
        (any_of([A, B & C]), "a | b & c"),
        (any_of([]), "1'b0"),
        (all_of([]), "1'b1"),
        (chosen([], A), "a"),
        (sum_of([(A, 2), (B, 0)], 1), "2 * a + 1"),
    ],
)
def test_what_expressions_print(expression: Expression, text: str) -> None:
    assert str(expression) == text


def test_expressions_are_compared_as_trees() -> None:
    assert Signal("a") + 1 == A + 1
    assert A + 1 != A + 2
    assert len({A[0], Signal("a")[0], A[1]}) == 2


def test_names_and_what_stands_in_their_place() -> None:
    expression = A[B + C.part(Signal("d"), 2)] + call("f", Signal("e"))
    assert [*names_in(expression)] == ["a", "b", "c", "d", "e"]
    assert {*names_in_places(expression)} == {"b", "c", "d"}
    assert str(replaced(expression, {"b": Signal("x") * 2, "e": sized(1, 2)})) == "a[x * 2 + c[d +: 2]] + f(2'd1)"


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (Wire("a"), "logic a;"),
        (Wire("a", (4, 8), 3), "logic [3:0][7:0] a [3];"),
        (Wire("a", kind="int"), "int a;"),
        (Register("a", (8,), initial=0), "logic [7:0] a = 0;"),
        (Register("a", (8,), 4, style="block"), '(* ram_style = "block" *) logic [7:0] a [4];'),
        (Constants("T", (1, 2)), "localparam int T [2] = '{1, 2};"),
        (Constants("T", (1, 2), 3), "localparam logic [2:0] T [2] = '{3'd1, 3'd2};"),
        (Constants("T", 5), "localparam int T = 5;"),
        (Driven(A, B), "assign a = b;"),
        (Comment("So it is."), "// So it is."),
        (Function("f", "function f;\nendfunction\n"), "function f;\n  endfunction"),
        (Instance("m", "own", (("p", A), ("q", B[1])), (("N", 2),)), "m #(.N(2)) own (.p(a), .q(b[1]));"),
        (
            Generated("n", 2, (Driven(A[Signal("n")], B),), "each"),
            "for (genvar n = 0; n < 2; n++) begin : each\n    assign a[n] = b;\n  end",
        ),
        (Clocked((Set(A, B),), C), "always_ff @(posedge clk) if (c) begin\n    a <= b;\n  end"),
        (
            Clocked((Set(A, B),), C, (Set(A, Constant(0)),)),
            "always_ff @(posedge clk) if (reset) begin\n    a <= 0;\n  end\n  else if (c) begin\n    a <= b;\n  end",
        ),
        (Combinational((Set(A, B),), C), "always_comb if (c) begin\n    a = b;\n  end"),
        (
            Combinational((IfElse(A, (Set(B, C),), (Set(B, A),)),)),
            "always_comb begin\n    if (a) begin\n      b = c;\n    end\n    else begin\n      b = a;\n    end\n  end",
        ),
    ],
)
def test_what_nodes_print(node: Node, text: str) -> None:
    assert body_text([node]) == f"  {text}\n"


def lines(statement: Statement) -> list[str]:
    """The lines of a statement, at a clock edge."""
    return [line.strip() for line in Clocked((statement,)).lines()][1:-1]


def test_an_unrolled_statement_is_spelled_out() -> None:
    store = Set(A[Signal("n")], B[2 * Signal("n")])
    assert lines(Unrolled((("n", 2),), store)) == ["a[0] <= b[2 * 0];", "a[1] <= b[2 * 1];"]
    assert lines(ForEach("n", 2, (store,)))[0] == "for (int n = 0; n < 2; n++) begin"


def test_an_unfolded_statement_is_done_where_its_counters_have_its_values() -> None:
    store = Unrolled((("n", 2), ("k", 1)), Set(A[Signal("n")], B[Signal("k")]), is_guarded=True)
    assert lines(store) == ["if (n == 0) a[0] <= b[0];", "if (n == 1) a[1] <= b[0];"]
    default = Unrolled(store.variables, store.body, is_guarded=True, has_default=True)
    assert lines(default) == ["a[0] <= b[0];", "if (n == 1) a[1] <= b[0];"]
    inside = Unrolled((("n", 2),), *in_loops([("l", 4)], [Set(A[Signal("n")], B[Signal("l")])]), is_guarded=True)
    assert lines(inside)[1] == "if (n == 0) a[0] <= b[l];"
    assert {*statement_names(inside, in_places=True)} == {"n", "l"}


def test_declarations_come_first() -> None:
    nodes = [Driven(A, B), Wire("b"), Comment("c"), Constants("T", 1), Register("a")]
    assert body_text(nodes).split("\n")[:3] == ["  logic b;", "  localparam int T = 1;", "  logic a;"]
    text = module_text("m", [Port("input", "clk"), Port("output", "y", 2)], body_text(nodes))
    assert text.startswith("module m (\n  input  logic clk,\n  output logic [1:0] y\n);\n  logic b;\n")
    assert text.endswith("  // c\nendmodule\n")


def test_registers_and_instances_are_counted() -> None:
    own = Instance("m", "own", ())
    nodes = [Wire("w"), Register("r", (2, 8), 3), Generated("i", 2, (Generated("k", 3, (own,), "k"), own), "i"), own]
    assert {name: each.bits for name, each in registers_in(nodes).items()} == {"r": 48}
    assert sum(times for _, times in instances_in(nodes)) == 2 * 3 + 2 + 1


# --- All modules of a small block


@pytest.fixture(scope="module", params=[False, True], ids=["simulated", "synthesized"])
def modules(request: pytest.FixtureRequest) -> list[ModuleText]:
    """Those of a small block of GPT-2, for simulators or with instances."""
    design = compile_text(lowered_text("gpt2", "decode", small=True), "gpt2", "u55c", CompileOptions())
    library = operators(require_hbm(load_board("u55c")))
    cells = CountedCells() if request.param else None
    return design_modules(only_kernel(design.module, "test", "gpt2"), design.graph, library, cells)


def targets(statements: tuple[Statement, ...]) -> Iterator[str]:
    """The names that statements set."""
    for each in statements:
        match each:
            case Set(target):
                yield next(names_in(target))
            case Unrolled():
                yield from targets((each.body,))
            case ForEach():
                yield from targets(each.body)
            case IfElse():
                yield from targets((*each.then, *each.otherwise))


def test_registers_are_what_is_set_at_a_clock_edge(modules: list[ModuleText]) -> None:
    for module in modules:
        blocks = [node for node in module.nodes if isinstance(node, Clocked)]
        assert registers_in(module.nodes).keys() == {name for each in blocks for name in targets(each.body)}


def test_every_name_is_declared_once_and_before_it_is_used(modules: list[ModuleText]) -> None:
    for module in modules:
        declared = [node.name for node in module.nodes if isinstance(node, (Wire, Constants))]
        assert len({*declared}) == len(declared)
        known = {*declared, *(port.name for port in module.ports)}
        for node in module.nodes:
            if isinstance(node, (Clocked, Combinational)):
                used = {name for each in node.body for name in statement_names(each)}
                assert {name for name in used - known if not is_variable(name)} == set(), module.name
            elif isinstance(node, Driven):
                assert {*names_in(node.target), *names_in(node.value)} <= known, module.name


def is_variable(name: str) -> bool:
    """Whether it is the variable of a loop."""
    return name in {"e", "k", "l", "n", "r"} or (name[0] == "l" and name[1:].isdigit())


def test_slang_finds_every_name(modules: list[ModuleText]) -> None:
    """A front end that refuses names that are declared behind their use."""
    pyslang = pytest.importorskip("pyslang", reason="needs pyslang, pip install pyslang")
    uses = dict.fromkeys(name for module in modules for part in module.parts for name in part.uses)
    boxes = {part.name: part.black_box for module in modules for part in module.parts}
    texts = [FP_PACKAGE, *map(library_text, uses), *boxes.values()]
    texts += [module.text(f"process_{number}") for number, module in enumerate(modules)]
    compilation = pyslang.ast.Compilation()
    for text in texts:
        compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromText(text))
    assert [str(each.code) for each in compilation.getAllDiagnostics() if each.isError()] == []
