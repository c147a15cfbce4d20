# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds JSON against the schema of tesseractl: of JSON Schema what that one uses, and a keyword
that is not known here is an error."""

import json
import os
import re

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOTES = {"$comment", "$schema", "$defs", "title", "description"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


class Mismatch(Exception):
    pass


class Schema:
    def __init__(self, path=os.path.join(TREE, "tools/cli/tesseractl.schema.json")):
        with open(path) as file:
            self.root = json.load(file)

    def check(self, value, name=None):
        """Raises unless it is what a definition says, or the schema as a whole."""
        self.hold(value, self.definition("#/$defs/" + name) if name else self.root, "")

    def definition(self, ref):
        if not ref.startswith("#/$defs/"):
            raise Mismatch(f"a reference to {ref}")
        return self.root["$defs"][ref[len("#/$defs/"):]]

    def hold(self, value, schema, where):
        for keyword, wanted in schema.items():
            if keyword in NOTES:
                continue
            check = getattr(self, "is_" + keyword.strip("$"), None)
            if not check:
                raise Mismatch(f"{where}: unknown keyword {keyword}")
            check(value, wanted, schema, where)

    def is_ref(self, value, ref, _, where):
        self.hold(value, self.definition(ref), where)

    def is_anyOf(self, value, choices, _, where):
        reasons = []
        for choice in choices:
            try:
                return self.hold(value, choice, where)
            except Mismatch as reason:
                reasons.append(str(reason))
        raise Mismatch(f"{where}: none of: " + " | ".join(reasons))

    @staticmethod
    def has_type(value, name):
        if name in ("number", "integer"):
            kinds = int if name == "integer" else (int, float)
            return isinstance(value, kinds) and not isinstance(value, bool)
        return isinstance(value, TYPES[name])

    def is_type(self, value, names, _, where):
        names = [names] if isinstance(names, str) else names
        if not any(self.has_type(value, name) for name in names):
            raise Mismatch(f"{where}: {value!r} is no {' or '.join(names)}")

    @staticmethod
    def is_const(value, wanted, _, where):
        if value != wanted or type(value) is not type(wanted):
            raise Mismatch(f"{where}: {value!r} is not {wanted!r}")

    @staticmethod
    def is_enum(value, choices, _, where):
        if value not in choices:
            raise Mismatch(f"{where}: {value!r} is none of {choices}")

    @staticmethod
    def is_minimum(value, least, _, where):
        if value < least:
            raise Mismatch(f"{where}: {value} is below {least}")

    @staticmethod
    def is_pattern(value, pattern, _, where):
        if isinstance(value, str) and not re.search(pattern, value):
            raise Mismatch(f"{where}: {value!r} does not match {pattern}")

    def is_items(self, value, schema, _, where):
        for i, item in enumerate(value if isinstance(value, list) else []):
            self.hold(item, schema, f"{where}[{i}]")

    @staticmethod
    def is_required(value, names, _, where):
        missing = [name for name in names if isinstance(value, dict) and name not in value]
        if missing:
            raise Mismatch(f"{where}: lacks {missing}")

    def is_properties(self, value, schemas, _, where):
        for name, schema in schemas.items():
            if isinstance(value, dict) and name in value:
                self.hold(value[name], schema, f"{where}.{name}")

    def is_additionalProperties(self, value, wanted, schema, where):
        known = schema.get("properties", {})
        for name in value if isinstance(value, dict) else ():
            if name in known:
                continue
            if wanted is False:
                raise Mismatch(f"{where}: {name} is not in the schema")
            self.hold(value[name], wanted, f"{where}.{name}")
