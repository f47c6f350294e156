"""Tags whose arguments alone decide what they draw: with literal ones that is done when a template is compiled."""

from collections.abc import Callable, Iterable

from django.template import Context, Node
from django.template.base import FilterExpression, Parser, TextNode, Token, Variable
from django.template.library import SimpleNode

type CompileTag = Callable[[Parser, Token], SimpleNode]


def drawn_once(compile_tag: CompileTag) -> Callable[[Parser, Token], Node]:
    """Return what compiles a simple tag into plain text where it can be, which costs a page nothing any more."""

    def compile_once(parser: Parser, token: Token) -> Node:
        node = compile_tag(parser, token)
        is_text = node.target_var is None and _are_literals([*node.args, *node.kwargs.values()])
        return TextNode(node.render(Context())) if is_text else node

    return compile_once


def _are_literals(arguments: Iterable[FilterExpression]) -> bool:
    return not any(argument.filters or _looks_up(argument.var) for argument in arguments)


def _looks_up(value: object) -> bool:
    return isinstance(value, Variable) and value.lookups is not None
