"""`[kernel] elementwise` → words and signs, each allowed by itself, and what to write for others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

MAX_TOKENS = 400  # also bounds the height of a tree, which is walked recursively

_UNARY_FUNCTIONS = (
    "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan asin acos atan "
    "sinh cosh tanh asinh acosh atanh erf erfc tgamma lgamma ceil floor trunc round nearbyint rint "
    "abs fabs isnan isinf isfinite signbit"
)
_BINARY_FUNCTIONS = (
    "pow atan2 hypot fmod fmin fmax copysign nextafter isgreater isgreaterequal isless islessequal"
)

FUNCTIONS: Mapping[str, int] = {
    **dict.fromkeys(_UNARY_FUNCTIONS.split(), 1),
    **dict.fromkeys(_BINARY_FUNCTIONS.split(), 2),
}
"""The functions of <cmath> that may be called, by plain name, and how many arguments each takes."""

_BY_POINTER = "it gives two results, and an expression is one number: give the kernel by source"
_SPECIAL = "not every C++ library has it: give the kernel by source, which may call it"
OTHER_FUNCTIONS: Mapping[str, str] = {
    **dict.fromkeys(("frexp", "modf", "remquo"), _BY_POINTER),
    **dict.fromkeys(("ldexp", "scalbn", "scalbln"), "write x * exp2(n)"),
    "fdim": "write a > b ? a - b : 0",
    "fma": "write a * b + c",
    **dict.fromkeys(("fpclassify", "isnormal"), "use isnan(x), isinf(x) or x == 0"),
    **dict.fromkeys(("ilogb", "logb"), "write floor(log2(abs(x)))"),
    "islessgreater": "write a < b || a > b",
    "isunordered": "write isnan(a) || isnan(b)",
    "lerp": "write a + t * (b - a)",
    **dict.fromkeys(("lrint", "llrint"), "use rint(x)"),
    **dict.fromkeys(("lround", "llround"), "use round(x)"),
    "nan": "write sqrt(-1.0)",
    "nexttoward": "use nextafter(a, b)",
    "remainder": "write a - b * rint(a / b)",
    **dict.fromkeys(
        (
            "assoc_laguerre assoc_legendre beta comp_ellint_1 comp_ellint_2 comp_ellint_3 "
            "cyl_bessel_i cyl_bessel_j cyl_bessel_k cyl_neumann ellint_1 ellint_2 ellint_3 expint "
            "hermite laguerre legendre riemann_zeta sph_bessel sph_legendre sph_neumann"
        ).split(),
        _SPECIAL,
    ),
}
"""Those that may not be called, and what to write instead."""

PREDICATES = frozenset(
    "isnan isinf isfinite signbit isgreater isgreaterequal isless islessequal".split()
)
OF_THE_DTYPE = frozenset({"nextafter"})
"""Functions of how a number is stored, which the 16-bit floats, computed as float32, do not show."""

TRUTHS = frozenset({"true", "false"})
LOGICAL = frozenset({"&&", "||"})
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})

# A comparison of a comparison needs parentheses here, so C++'s two levels of comparison are one.
PRECEDENCE = {"||": 1, "&&": 2, **dict.fromkeys(COMPARISONS, 3), "+": 4, "-": 4, "*": 5, "/": 5}

_WRONG_SIGNS = {
    "^": "^ is not a power in C++; use pow(a, b)",
    "**": "** is not a C++ operator; use pow(a, b)",
    "%": "% does not work on real numbers; use fmod(a, b)",
    "//": "// is not a C++ operator; use floor(a / b)",
    "/*": "an expression holds no comments; put the comment on a line of its own, after #",
    "#": "an expression holds no comments; put the comment after the closing quote",
    "@": "@ is not an elementwise operator; use * for a product element by element",
    "=": "= assigns; did you mean ==?",
    "<>": "<> is not a C++ operator; use !=",
    "<=>": "<=> does not give a number; use <, == or >",
    "++": "++ changes a value in C++; write a + b, or remove the second +",
    "--": "-- changes a value in C++; write a - -b, or -(-a)",
    **{f"{sign}=": f"{sign}= assigns; write the value alone, as in a {sign} b" for sign in "+-*/"},
    "&": "& works on bits; use && for a condition",
    "|": "| works on bits; use || for a condition, fabs(x) for a magnitude",
    "~": "~ works on bits; use ! for a condition",
    "<<": "<< works on bits; use * pow(2, n)",
    ">>": ">> works on bits; use floor(a / pow(2, n))",
    "->": "-> reaches into an object; an argument is one number here, write its name alone",
    "::": ":: is not needed; write the plain name, as in exp(x)",
    ".": ". reaches into an object; an argument is one number here, write its name alone",
    "[": "[ takes an element; an argument is already one element here, write its name alone",
    "]": "] has nothing to close; an argument is already one element here, write its name alone",
    "{": "{ opens a block; write one expression, grouped with ( )",
    "}": "} closes a block; write one expression, grouped with ( )",
    ";": "; ends a statement; write one expression without it",
    '"': "text in quotes is not a number; write a number or an argument's name",
    "'": "text in quotes is not a number; write a number or an argument's name",
    "?:": "a value is missing between ? and :; write condition ? a : b",
}

_NO_CAST = "a cast is not needed, since every value has the kernel's type; write the value alone"

_CASTS = frozenset({"int", "float", "double", "bool"})  # or, not called, arguments of these names

_WRONG_WORDS = {
    "and": "`and` is Python's; use &&",
    "or": "`or` is Python's; use ||",
    "not": "`not` is Python's; use !",
    "if": "`if` is a statement; use condition ? a : b",
    "else": "`else` is not part of an expression; use condition ? a : b",
    "is": "`is` is Python's; use ==, or isnan(x)",
    "in": "`in` is Python's; use a == b || a == c",
    "lambda": "`lambda` is Python's; write the value alone",
    "return": "`return` is a statement; write the value alone",
    "True": "`True` is Python's; write true",
    "False": "`False` is Python's; write false",
    "static_cast": _NO_CAST,
}

# Minus, en dash, times, middle dot, division, less or equal, greater or equal, not equal, squared.
_LOOKALIKES = {"\u2212": "-", "\u2013": "-", "\u00d7": "*", "\u00b7": "*", "\u00f7": "/"}
_LOOKALIKES |= {"\u2264": "<=", "\u2265": ">=", "\u2260": "!=", "\u00b2": "* x, as in x * x"}

_RIGHT_SIGNS = (*PRECEDENCE, "!", "?", ":", "(", ")", ",")
_SIGNS = sorted((*_RIGHT_SIGNS, *_WRONG_SIGNS), key=len, reverse=True)
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>\.?[0-9](?:[eE][+-]|[0-9A-Za-z_.])*)"  # as far as C++ itself would read
    r"|(?P<name>(?P<scope>(?:[A-Za-z_][A-Za-z0-9_]*)?(?:::|\.))*[A-Za-z_][A-Za-z0-9_]*)"
    rf"|(?P<sign>{'|'.join(map(re.escape, _SIGNS))})"
)
DECIMAL = re.compile(
    r"(?P<whole>[0-9]*)(?:(?P<point>\.)(?P<part>[0-9]*))?(?P<exponent>[eE][+-]?[0-9]+)?"
)
_RADIX = {"0x": 16, "0b": 2, "0o": 8}


class ExpressionError(ValueError):
    """What is wrong with a text and what to write instead, and which characters it is about."""

    def __init__(self, message: str, offset: int, length: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.length = max(1, length)


def shortened(word: str) -> str:
    """A word short enough for a message."""
    return word if len(word) <= 40 else f"{word[:37]}..."


@dataclass(frozen=True)
class Token:
    kind: str  # number, name, sign or end
    text: str
    offset: int

    def error(self, message: str) -> ExpressionError:
        return ExpressionError(message, self.offset, len(self.text))


def split(text: str, errors: list[ExpressionError]) -> list[Token]:
    """The words and signs of `text`, each allowed by itself, and an end. A number that C++ would
    read otherwise goes to ``errors``, and stands for 1.
    """
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(_strange(text[at]), at, 1)
        kind = match.lastgroup or ""
        token = Token(kind, match.group(), at)
        if kind != "space":
            if kind == "number" and (error := _problem_with_number(token)):
                errors.append(error)
                token = Token(kind, "1", at)
            _check(token)
            if token.text == "(" and tokens and tokens[-1].text in _CASTS:
                raise tokens[-1].error(_NO_CAST)
            tokens.append(token)
        if len(tokens) > MAX_TOKENS:
            raise token.error(
                f"the expression has more than {MAX_TOKENS} words and signs; write a shorter one"
            )
        at = match.end()
    return [*tokens, Token("end", "", len(text))]


def _check(token: Token) -> None:
    """Refuse what no place in an expression may hold."""
    word = token.text
    if token.kind == "sign" and word in _WRONG_SIGNS:
        raise token.error(_WRONG_SIGNS[word])
    elif word in _WRONG_WORDS:
        raise token.error(_WRONG_WORDS[word])
    elif not word.isidentifier() and token.kind == "name":
        owner, *_, plain = re.split(r"::|\.", word)
        remedy = owner or "the value alone"
        if plain in FUNCTIONS or "::" in word:
            remedy = f"{plain}(...)" if plain in FUNCTIONS else plain
        raise token.error(
            f"{shortened(word)} is not a plain name; every argument is one number here, "
            f"write {shortened(remedy)}"
        )


def _problem_with_number(token: Token) -> ExpressionError | None:
    """Why C++ would not read the decimal number that is written; None where it would."""
    word = token.text
    shown = shortened(word)
    if base := _RADIX.get(word[:2].lower()):
        try:
            remedy = f"write {int(word, base)}" if len(word) < 20 else "write it in decimal"
        except ValueError:
            remedy = "write it in decimal"
        return token.error(f"{shown} is not a decimal number; {remedy}")
    match = DECIMAL.match(word)
    read = match.group() if match else ""
    if rest := word[len(read) :]:
        return token.error(f"{shown} is not a number; {_number_remedy(read, rest)}")
    if read.isdigit():
        if read != "0" and read.startswith("0"):
            return token.error(
                f"{shown} is octal in C++; write {shortened(read.lstrip('0') or '0')}"
            )
        if len(read) > 19 or int(read) >= 2**63:  # what C++ reads as a signed literal
            return token.error(
                f"{shown} is too large for an integer; write it with a decimal point"
            )
    elif float(read) == float("inf"):
        return token.error(f"{shown} is too large for any number type; write one below 1.8e308")
    elif float(read) == 0 and re.search("[1-9]", re.split("[eE]", read)[0]):
        return token.error(
            f"{shown} is too small for any number type; write 0, or one above 5e-324"
        )
    return None


def _number_remedy(read: str, rest: str) -> str:
    if rest.lower() in ("f", "l", "h", "u", "ul", "ll", "ull", "f16", "bf16", "f32", "f64"):
        return f"write {shortened(read)}, since literals take the kernel's type by themselves"
    if re.fullmatch(r"[eE][+-]?", rest):
        return f"write the exponent's digits, as in {shortened(read)}e-3"
    if "_" in rest and rest.replace("_", "").isdigit():
        return f"write {shortened(read + rest.replace('_', ''))}"
    if rest.isidentifier():
        return f"write {shortened(read)} * {shortened(rest)} for a product"
    return "write digits with at most one decimal point, as in 0.5 or 1e-3"


def _strange(character: str) -> str:
    """Why a character that begins no token is refused; unsafe ones are shown as code points."""
    if remedy := _LOOKALIKES.get(character):
        return f"{character} is not ASCII; write {remedy}"
    shown = character if "!" <= character <= "~" else f"the character U+{ord(character):04X}"
    return f"{shown} has no meaning in an expression; write ASCII names, numbers and operators"
