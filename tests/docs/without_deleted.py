# SPDX-License-Identifier: MIT
#
# without_deleted.py FILE: writes a header without its deleted functions, and any other file as it is. Doxygen reads its
# input through this filter: deleted overloads are there for the messages of compilers. The number of lines stays.

import re
import sys

DELETED = re.compile(r"^( *template <[^\n]*>[^\n;{]*\n)?[^\n;{}]*= delete;[^\n]*", re.MULTILINE)

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
if sys.argv[1].endswith(".hpp"):
    text = DELETED.sub(lambda found: "\n" * found.group().count("\n"), text)
sys.stdout.write(text)
