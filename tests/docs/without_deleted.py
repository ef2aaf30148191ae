# SPDX-License-Identifier: MIT
#
# without_deleted.py FILE: prints a header without its deleted functions, and any other file unchanged. Doxygen reads
# its input through this filter, because deleted overloads exist only for their compiler messages. The filter keeps the
# line numbers.

import re
import sys

DELETED = re.compile(r"^( *template <[^\n]*>[^\n;{]*\n)?[^\n;{}]*= delete;[^\n]*", re.MULTILINE)

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
if sys.argv[1].endswith(".hpp"):
    text = DELETED.sub(lambda found: "\n" * found.group().count("\n"), text)
sys.stdout.write(text)
