#!/usr/bin/env python3
"""Scores a text on a task: put your own work in the place of score().

A task is a line of the file of tasks. Here the text is a list of patterns, one a line, of which one must match each word
of "match" and none a word of "avoid"; the score is the share of the words that it gets right.
"""

import json
import re
import sys


def score(text, task):
    """From 0 to 1, more is better."""
    patterns = [re.compile(line) for line in text.splitlines() if line]
    matches = lambda word: any(p.fullmatch(word) for p in patterns)
    right = sum(matches(w) for w in task["match"]) + sum(not matches(w) for w in task["avoid"])
    return right / (len(task["match"]) + len(task["avoid"]))


for line in sys.stdin:
    request = json.loads(line)
    reply = {"id": request["id"]}
    try:
        reply["score"] = score(request["candidate"]["rule"], request["task"])
    except Exception as e:  # the candidate's own failure: it scores 0 and the run goes on
        reply["error"] = f"{type(e).__name__}: {e}"
    print(json.dumps(reply), flush=True)
