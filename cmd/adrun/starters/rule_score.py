#!/usr/bin/env python3
"""Scores a rule on a task: put your own work in the place of score().

A task is a line of the file of tasks. Here it has items, [size, age, worth] each. The rule values an item by its size and
age, the one that it values most is taken, and the score is the worth of that over the best.
"""

import json
import sys


def score(rule, task):
    """From 0 to 1, more is better. rule is a function of the inputs of the signature, in their order."""
    taken = max(task["items"], key=lambda item: rule(item[0], item[1]))
    return taken[2] / max(item[2] for item in task["items"])


def function(source, name):
    """The function that the Python form of a rule defines: a name that Python reserves has a _ behind it there."""
    names = {}
    exec(source, names)
    return names.get(name + "_") or names[name]


for line in sys.stdin:
    request = json.loads(line)
    reply = {"id": request["id"]}
    try:
        rule = function(request["candidate"]["python"], "RULE")
        reply["score"] = score(rule, request["task"])
    except Exception as e:  # the candidate's own failure: it scores 0 and the run goes on
        reply["error"] = f"{type(e).__name__}: {e}"
    print(json.dumps(reply), flush=True)
