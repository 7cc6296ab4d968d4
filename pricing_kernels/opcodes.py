"""How often each opcode occurs in PTX text: what an interpreter of these kernels must know.

An opcode is counted with its modifiers as written (`fma.rn.f32`). A statement begins after `;`,
`{`, `}` or a label, which is enough to tell opcodes from operands without a grammar; directives
begin with a dot and are left out.
"""

from __future__ import annotations

import re
from collections import Counter

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LINE_DIRECTIVE = re.compile(r"^\s*\.(?:loc|file|version|target|address_size)\b.*$", re.MULTILINE)
_OPCODE = re.compile(r"[;{}:]\s*(?:@!?[%\w$]+\s+)?([a-z]\w*(?:\.[\w:]+)*)(?=[\s;])")


def count_opcodes(ptx: str) -> Counter[str]:
    """The number of instructions of each opcode in `ptx`."""
    text = _LINE_DIRECTIVE.sub("", _COMMENT.sub("", ptx))
    return Counter(found[1] for found in _OPCODE.finditer(text))
