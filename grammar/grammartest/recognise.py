"""Reads {"grammar": …, "texts": […]} and prints, as JSON, which of the texts lark derives."""

import json
import sys

import lark

job = json.load(sys.stdin)
parser = lark.Lark(job["grammar"], parser="earley", lexer="dynamic", ambiguity="resolve")


def derived(text):
    try:
        parser.parse(text)
    except lark.exceptions.LarkError:
        return False
    return True


json.dump([derived(text) for text in job["texts"]], sys.stdout)
