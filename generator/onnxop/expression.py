"""`[kernel] elementwise` → a checked expression tree (`cppcode` writes it out).

The grammar is the part of C++ expressions that makes one number of others: names, decimal literals,
+ - * /, comparisons, && || !, ?: and calls of <cmath>, with C++'s precedence.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

MAX_LENGTH = 10_000
MAX_TOKENS = 400  # also bounds the height of a tree, which is walked recursively
MAX_NESTING = 60

_UNARY_FUNCTIONS = (
    "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan asin acos atan "
    "sinh cosh tanh asinh acosh atanh erf erfc tgamma lgamma ceil floor trunc round nearbyint rint "
    "abs fabs isnan isinf isfinite signbit"
)
_BINARY_FUNCTIONS = "pow atan2 hypot fmod remainder fmin fmax fdim copysign"

FUNCTIONS: Mapping[str, int] = {
    **dict.fromkeys(_UNARY_FUNCTIONS.split(), 1),
    **dict.fromkeys(_BINARY_FUNCTIONS.split(), 2),
    "fma": 3,
}
"""The functions of <cmath> that may be called, by plain name, and how many arguments each takes."""

PREDICATES = frozenset({"isnan", "isinf", "isfinite", "signbit"})
LOGICAL = frozenset({"&&", "||"})
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})

# A comparison of a comparison needs parentheses here, so C++'s two levels of comparison are one.
PRECEDENCE = {"||": 1, "&&": 2, **dict.fromkeys(COMPARISONS, 3), "+": 4, "-": 4, "*": 5, "/": 5}
CONDITIONAL, UNARY, PRIMARY = 0, 6, 7

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
    **dict.fromkeys(("True", "true"), "a truth value is not a number; write 1, or a comparison"),
    **dict.fromkeys(("False", "false"), "a truth value is not a number; write 0, or a comparison"),
    **dict.fromkeys(
        ("int", "float", "double", "bool", "static_cast"),
        "a cast is not needed, since every value has the kernel's type; write the value alone",
    ),
}

_WRONG_FUNCTIONS = {
    "min": "use fmin(a, b)",
    "max": "use fmax(a, b)",
    "minimum": "use fmin(a, b)",
    "maximum": "use fmax(a, b)",
    "clamp": "use fmin(fmax(x, low), high)",
    "clip": "use fmin(fmax(x, low), high)",
    "where": "use condition ? a : b",
    **dict.fromkeys(("sign", "sgn"), "write (x > 0) - (x < 0)"),
    "sigmoid": "write 1 / (1 + exp(-x))",
    "relu": "write x < 0 ? 0 : x",
    "square": "write x * x",
    "rsqrt": "write 1 / sqrt(x)",
    "reciprocal": "write 1 / x",
    "ln": "use log(x)",
    "mod": "use fmod(a, b)",
    "power": "use pow(a, b)",
    "gamma": "use tgamma(x)",
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
_INTEGER_LIMIT = 2.0**63  # what C++ reads as a signed literal


class ExpressionError(ValueError):
    """What is wrong with a text and what to write instead, and which characters it is about."""

    def __init__(self, message: str, offset: int, length: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.length = max(1, length)
        self.others: tuple[ExpressionError, ...] = ()  # what else is wrong with the text
        self.tree: Expression | None = None  # where no more than calls are wrong


# Two trees are equal when they mean the same, wherever in a text they stand.


@dataclass(frozen=True)
class Number:
    """A decimal literal, as written."""

    text: str
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Name:
    """An argument."""

    name: str
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Unary:
    """`-`, `+` or `!`, which stands at `offset`, of one operand."""

    operator: str
    operand: "Expression"
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Binary:
    """An arithmetic, comparison or logical operator, which stands at `offset`, of two operands."""

    operator: str
    left: "Expression"
    right: "Expression"
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Conditional:
    """`test ? then : otherwise`, with the `?` at `offset`."""

    test: "Expression"
    then: "Expression"
    otherwise: "Expression"
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Call:
    """A function of <cmath>, whose name stands at `offset`."""

    function: str
    arguments: tuple["Expression", ...]
    offset: int = field(default=0, compare=False)


Expression = Number | Name | Unary | Binary | Conditional | Call


def parse(text: str) -> Expression:
    """The tree of `text`, with C++'s precedence; ExpressionError if it is not of the grammar."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            f"the expression has more than {MAX_LENGTH} characters; write a shorter one",
            MAX_LENGTH,
            1,
        )
    if not text.strip():
        raise ExpressionError("the expression is empty; write one, such as 2 * a + b", 0, len(text))
    return _Parser(text).expression()


def names(expression: Expression) -> dict[str, int]:
    """Every argument used and the offset of its first use, in order of first appearance."""
    found: dict[str, int] = {}
    for node in _walk(expression):
        if isinstance(node, Name):
            found.setdefault(node.name, node.offset)
    return found


def functions(expression: Expression) -> list[str]:
    """Every function called, sorted."""
    return sorted({node.function for node in _walk(expression) if isinstance(node, Call)})


def is_integer_exact(expression: Expression) -> bool:
    """Whether integer element types give what real numbers give, up to wrap-around.

    So: integer literals, names, + - *, comparisons, && || !, ?: and abs; no division and no other
    function.
    """
    return all(_is_exact_step(node) for node in _walk(expression))


def _is_exact_step(node: Expression) -> bool:
    match node:
        case Number(text=text):
            return text.isdigit()
        case Binary(operator=operator):
            return operator != "/"
        case Call(function=function):
            return function == "abs"
    return True


def _walk(expression: Expression) -> Iterator[Expression]:
    """Every node, in the order of the text as far as names go."""
    pending = [expression]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(_children(node)))


def _children(node: Expression) -> tuple[Expression, ...]:
    match node:
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Conditional(test=test, then=then, otherwise=otherwise):
            return (test, then, otherwise)
        case Call(arguments=arguments):
            return arguments
    return ()


def _suggest(word: str, candidates: Iterable[str]) -> str | None:
    return next(iter(difflib.get_close_matches(word, sorted(candidates), n=1, cutoff=0.6)), None)


def _shown(word: str) -> str:
    """A word short enough for a message."""
    return word if len(word) <= 40 else f"{word[:37]}..."


# Text → tokens


@dataclass(frozen=True)
class _Token:
    kind: str  # number, name, sign or end
    text: str
    offset: int

    def error(self, message: str) -> ExpressionError:
        return ExpressionError(message, self.offset, len(self.text))


def _tokens(text: str) -> list[_Token]:
    """The words and signs of `text`, each allowed by itself, and an end."""
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(_strange(text[at]), at, 1)
        kind = match.lastgroup or ""
        token = _Token(kind, match.group(), at)
        if kind != "space":
            _check(token)
            tokens.append(token)
        if len(tokens) > MAX_TOKENS:
            raise token.error(
                f"the expression has more than {MAX_TOKENS} words and signs; write a shorter one"
            )
        at = match.end()
    return [*tokens, _Token("end", "", len(text))]


def _check(token: _Token) -> None:
    """Refuse what no place in an expression may hold."""
    word = token.text
    if token.kind == "number":
        _check_number(token)
    elif token.kind == "sign" and word in _WRONG_SIGNS:
        raise token.error(_WRONG_SIGNS[word])
    elif word in _WRONG_WORDS:
        raise token.error(_WRONG_WORDS[word])
    elif not word.isidentifier() and token.kind == "name":
        owner, *_, plain = re.split(r"::|\.", word)
        remedy = owner or "the value alone"
        if plain in FUNCTIONS or "::" in word:
            remedy = f"{plain}(...)" if plain in FUNCTIONS else plain
        raise token.error(
            f"{_shown(word)} is not a plain name; every argument is one number here, "
            f"write {_shown(remedy)}"
        )


def _check_number(token: _Token) -> None:
    """Refuse what C++ would not read as the decimal number that is written."""
    word = token.text
    shown = _shown(word)
    if base := _RADIX.get(word[:2].lower()):
        try:
            remedy = f"write {int(word, base)}" if len(word) < 20 else "write it in decimal"
        except ValueError:
            remedy = "write it in decimal"
        raise token.error(f"{shown} is not a decimal number; {remedy}")
    match = DECIMAL.match(word)
    read = match.group() if match else ""
    if rest := word[len(read) :]:
        raise token.error(f"{shown} is not a number; {_number_remedy(read, rest)}")
    if read.isdigit():
        if read != "0" and read.startswith("0"):
            raise token.error(f"{shown} is octal in C++; write {_shown(read.lstrip('0') or '0')}")
        if float(read) >= _INTEGER_LIMIT:
            raise token.error(f"{shown} is too large for an integer; write it with a decimal point")
    elif float(read) == float("inf"):
        raise token.error(f"{shown} is too large for any number type; write one below 1.8e308")
    elif float(read) == 0 and re.search("[1-9]", re.split("[eE]", read)[0]):
        raise token.error(f"{shown} is too small for any number type; write 0, or one above 5e-324")


def _number_remedy(read: str, rest: str) -> str:
    if rest.lower() in ("f", "l", "h", "u", "ul", "ll", "ull", "f16", "bf16", "f32", "f64"):
        return f"write {_shown(read)}, since literals take the kernel's type by themselves"
    if re.fullmatch(r"[eE][+-]?", rest):
        return f"write the exponent's digits, as in {_shown(read)}e-3"
    if "_" in rest and rest.replace("_", "").isdigit():
        return f"write {_shown(read + rest.replace('_', ''))}"
    if rest.isidentifier():
        return f"write {_shown(read)} * {_shown(rest)} for a product"
    return "write digits with at most one decimal point, as in 0.5 or 1e-3"


def _strange(character: str) -> str:
    """Why a character that begins no token is refused; unsafe ones are shown as code points."""
    if remedy := _LOOKALIKES.get(character):
        return f"{character} is not ASCII; write {remedy}"
    shown = character if "!" <= character <= "~" else f"the character U+{ord(character):04X}"
    return f"{shown} has no meaning in an expression; write ASCII names, numbers and operators"


# Tokens → tree


class _Parser:
    """Recursive descent; each method reads what it is named after, moving `at` forward."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0
        self.depth = 0
        self.errors: list[ExpressionError] = []  # those after which the text can be read on

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.next
        self.at += 1
        return token

    def accept(self, *signs: str) -> _Token | None:
        return self.take() if self.next.kind == "sign" and self.next.text in signs else None

    def expression(self) -> Expression:
        """The whole text."""
        tree = None
        try:
            tree = self.conditional()
            if self.next.kind != "end":
                raise self.unexpected()
        except ExpressionError as error:
            self.errors.append(error)
            tree = None
        if tree is None or self.errors:
            first, *others = self.errors
            first.others, first.tree = tuple(others), tree
            raise first
        return tree

    def conditional(self) -> Expression:
        """`test ? then : otherwise`, or what binds tighter."""
        self.descend()
        expression = self.binary(1)
        if question := self.accept("?"):
            then = self.conditional()
            if not self.accept(":"):
                if self.next.kind == "end" or self.next.text in (")", ","):
                    raise question.error("this ? has no :; write condition ? a : b")
                raise self.unexpected()
            expression = Conditional(expression, then, self.conditional(), question.offset)
        self.depth -= 1
        return expression

    def binary(self, lowest: int) -> Expression:
        """Operators that bind at least as tight as `lowest`, each from left to right."""
        left = self.unary()
        compared = False
        while PRECEDENCE.get(self.next.text, -1) >= lowest:
            operator = self.take()
            if operator.text in COMPARISONS:
                if compared:
                    raise operator.error(
                        "comparisons do not chain; write a < b && b < c, or set parentheses"
                    )
                compared = True
            right = self.binary(PRECEDENCE[operator.text] + 1)
            left = Binary(operator.text, left, right, operator.offset)
        return left

    def unary(self) -> Expression:
        """Signs and negations in front of a value."""
        if not (operator := self.accept("-", "+", "!")):
            return self.primary()
        self.descend()
        expression = Unary(operator.text, self.unary(), operator.offset)
        self.depth -= 1
        return expression

    def primary(self) -> Expression:
        """A number, a name, a call or an expression in parentheses."""
        if self.next.kind == "number":
            token = self.take()
            return Number(token.text, token.offset)
        if self.next.kind == "name":
            token = self.take()
            if opening := self.accept("("):
                return self.call(token, opening)
            if token.text in FUNCTIONS:
                raise token.error(
                    f"{token.text} is a function; call it, as in {_usage(token.text)}"
                )
            return Name(token.text, token.offset)
        if opening := self.accept("("):
            expression = self.conditional()
            self.close(opening)
            return expression
        if self.next.kind == "end":
            raise self.next.error(
                "the expression ends where a value must follow; add a number, a name or a call"
            )
        raise self.next.error(
            f"a value is missing before {self.next.text}; write a number, a name or a call there"
        )

    def call(self, function: _Token, opening: _Token) -> Expression:
        """A call's arguments, up to and with the closing parenthesis."""
        arguments: list[Expression] = []
        if not self.accept(")"):
            arguments.append(self.conditional())
            while self.accept(","):
                arguments.append(self.conditional())
            self.close(opening)
        arity = FUNCTIONS.get(function.text)
        if arity is None:
            self.errors.append(function.error(_unknown_function(function.text)))
        elif len(arguments) != arity:
            plural = "" if arity == 1 else "s"
            message = (
                f"{function.text} takes {arity} argument{plural}, not {len(arguments)}; "
                f"write {_usage(function.text)}"
            )
            self.errors.append(function.error(message))
        return Call(function.text, tuple(arguments), function.offset)

    def close(self, opening: _Token) -> None:
        if self.next.kind == "end":
            raise opening.error("this ( is never closed; add )")
        if not self.accept(")"):
            raise self.unexpected()

    def unexpected(self) -> ExpressionError:
        """The error for a token that cannot follow a complete value."""
        token = self.next
        if token.text == ")":
            return token.error("this ) closes nothing; remove it, or add (")
        if token.text == ",":
            return token.error(
                "a comma outside a call; write one expression, with . as the decimal point"
            )
        if token.text == ":":
            return token.error("this : has no ?; write condition ? a : b")
        if token.text == "!":
            return token.error("! stands before a value; write !x, or a != b")
        return token.error(
            f"an operator is missing before {_shown(token.text)}; "
            f"for a product write * {_shown(token.text)}"
        )

    def descend(self) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.next.error(
                f"the expression nests more than {MAX_NESTING} levels deep; write a flatter one"
            )


def _usage(function: str) -> str:
    return (
        f"{function}({', '.join('abc'[: FUNCTIONS[function]]) if FUNCTIONS[function] > 1 else 'x'})"
    )


def _unknown_function(word: str) -> str:
    fact = f"{_shown(word)} is not a function of <cmath>"
    if remedy := _WRONG_FUNCTIONS.get(word):
        return f"{fact}; {remedy}"
    if close := _suggest(word, FUNCTIONS):
        return f"{fact}; did you mean {close}?"
    return f"{fact}; write it with those, or {_shown(word)} * (...) for a product"
