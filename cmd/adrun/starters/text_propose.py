#!/usr/bin/env python3
"""Proposes a line to add to a text, or whatever you put in the place of propose().

Here it takes a word that the task wants matched and makes a pattern of what the word looks like.
"""

import json
import random
import re
import sys


def propose(text, task, rng):
    """All chance comes from rng, so that a run repeats."""
    word = rng.choice(task["match"])
    return re.sub(r"[0-9]+", "[0-9]+", re.sub(r"([^0-9a-z])", r"\\\1", word))


for line in sys.stdin:
    request = json.loads(line)
    rng = random.Random(request["seed"])
    print(json.dumps({"id": request["id"], "proposal": propose(request["candidate"]["rule"], request["task"], rng)}), flush=True)
