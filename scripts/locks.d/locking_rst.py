# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads Documentation/locking.rst: the tables of locks, and the list of all in one order."""

import os
import re

NAME = "Documentation/locking.rst"
TITLE = "One order of all locks"
# A row. Locks of other parts of the kernel may have one, too
ROW = re.compile(r"^``([\w.]+)``\s+(mutex|spin|rwsem|SRCU)\b")
RULE = re.compile(r"^=+( +=+)+$")
UNDERLINE = re.compile(r"^=+$")
ITEM = re.compile(r"^#\. (.*)$")
LOCK = re.compile(r"``([\w.]+)``")


class Row:
    def __init__(self, lock, kind, line, table):
        self.lock, self.kind, self.line, self.table = lock, kind, line, table


def lines(tree):
    with open(os.path.join(tree, NAME)) as f:
        return f.read().splitlines()


def rows(tree):
    """The rows of all tables, in the order of the document."""
    found, table = [], 0
    for number, line in enumerate(lines(tree), 1):
        table += bool(RULE.match(line))
        row = ROW.match(line)
        if row and ("." not in row[1] or row[1].startswith("tess_")):
            found.append(Row(row[1], row[2], number, table))
    return found


def order(tree):
    """The list of all locks, from the outermost to the innermost, each with its line."""
    found, inside = [], False
    text = lines(tree)
    for number, line in enumerate(text, 1):
        if number < len(text) and UNDERLINE.match(text[number]):
            inside = line == TITLE
        item = ITEM.match(line) if inside else None
        if item:
            found += [(lock, number) for lock in LOCK.findall(item[1])]
    return found
