# SPDX-License-Identifier: MIT
#
# without_deleted.py HEADER: writes the header without its deleted functions, with the same number of lines. Doxygen
# reads the headers through this filter: deleted overloads are there for the messages of compilers.

import re
import sys

DELETED = re.compile(r"^( *template <[^\n]*>[^\n;{]*\n)?[^\n;{}]*= delete;[^\n]*", re.MULTILINE)

with open(sys.argv[1], encoding="utf-8") as header:
    sys.stdout.write(DELETED.sub(lambda found: "\n" * found.group().count("\n"), header.read()))
