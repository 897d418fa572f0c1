"""The reader of IR text: xDSL's parser, over a lexer that looks at every character a bounded number of times.

The regular expressions of xDSL 0.74.0's lexer go back where they need not.  That for texts in quotes tries every way to
cut a text into pieces if its end is missing: 2 to the 30 ways for 30 characters.  That for comments remembers every
line, 250 bytes for each.  The parser of shapes reads all that is left of ``8x8x8xf32`` anew for each dimension.  And
the verifier counts all blocks of a region anew at the end of each.
"""

import re
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken

from sttest.compile.ir.bounded_parser import BoundedParser

MAX_NAME_CHARS = 4096
"""Characters of a name without quotes; a shape, ``x8x8xf32``, is such a name to the lexer."""
MAX_BLOCKS = 256
"""Blocks of a region; no operation that sttest knows jumps from one to another."""
MAX_HEX_DIGITS = 3570
"""Digits of a hexadecimal number; as many are 4,300 decimal ones, which Python prints."""


class _Lexer(MLIRLexer):
    """The same tokens, by expressions that match the same texts and never give back what they have taken."""

    _whitespace_regex = re.compile(r"(?://[^\n]*+\n?+|\s++)*+", re.ASCII)
    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def _lex_bare_identifier(self, start_pos: int) -> MLIRToken:
        token = super()._lex_bare_identifier(start_pos)
        if len(token.span) > MAX_NAME_CHARS:
            what = f"a name or shape of more than {MAX_NAME_CHARS} characters"
            raise ParseError(Span(start_pos, start_pos + 1, self.input), what)
        return token

    def _lex_number(self, start_pos: int) -> MLIRToken:
        token = super()._lex_number(start_pos)
        if token.text.startswith("0x") and len(token.span) > len("0x") + MAX_HEX_DIGITS:
            what = f"a number of more than {MAX_HEX_DIGITS:,} hexadecimal digits"
            raise ParseError(Span(start_pos, start_pos + 1, self.input), what)
        return token


def read_module(context: Context, text: str, where: str) -> ModuleOp:
    """The module of a text, not verified.

    Args:
        context: dialects that are known.
        text: a module.
        where: name of the text, for errors.

    Raises:
        ParseError: the text is no module, nests too deeply, or holds a number that cannot be read.
        VerifyException: an attribute breaks a rule of its dialect.
    """
    parser = BoundedParser(context, "", where)
    parser._parser_state = ParserState(_Lexer(Input(text, where)))
    try:
        module = parser.parse_module()
    except RecursionError:
        parser.raise_error("nested too deeply to be read")
    except (ParseError, VerifyException):
        raise
    except (ValueError, OverflowError) as error:
        parser.raise_error(f"a number that cannot be read ({error})")
    except Exception as error:  # of an operation's own parser, such as that of a linalg.fill without outs
        parser.raise_error(f"an operation that cannot be read ({type(error).__name__}: {error})")
    for region in (region for op in module.walk() for region in op.regions):
        if next(islice(region.blocks, MAX_BLOCKS, None), None) is not None:
            parser.raise_error(f"a region of more than {MAX_BLOCKS} blocks")
    return module
