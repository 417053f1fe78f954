#!/usr/bin/env python3
"""Scores a rule that orders jobs on one machine.

The rule is priority(weight, duration), the highest goes first. The cost of an order is the sum over its jobs of weight
times completion time; the score is the least possible cost over the rule's. The least is known: W. E. Smith (1956)
showed that weight / duration, highest first, is optimal, so that rule scores exactly 1.

A task is {"id": ..., "jobs": [[weight, duration], ...]}. `schedule.py tasks N` prints N of them, with jobs by lot.
"""

import json
import random
import sys


def cost(jobs):
    """The weighted sum of completion times of jobs done in this order."""
    total = clock = 0
    for weight, duration in jobs:
        clock += duration
        total += weight * clock
    return total


def score(priority, jobs):
    least = cost(sorted(jobs, key=lambda job: job[0] / job[1], reverse=True))
    # sorted is stable: among equals, the first job of the task goes first.
    return least / cost(sorted(jobs, key=lambda job: priority(*job), reverse=True))


def load(source):
    """The function that a candidate's Python source defines under the name of its rule."""
    names = {}
    exec(source, names)
    return names["priority"]


def tasks(n):
    rng = random.Random(1)
    for i in range(n):
        jobs = [[rng.randint(1, 50), rng.randint(1, 50)] for _ in range(12)]
        print(json.dumps({"id": f"lot {i + 1}", "jobs": jobs}))


def main():
    source, priority = None, None
    for line in sys.stdin:
        request = json.loads(line)
        reply = {"id": request["id"]}
        try:
            candidate = request["candidate"]["python"]
            if candidate != source:  # the same candidate often comes several times in a row
                source, priority = candidate, load(candidate)
            reply["score"] = score(priority, request["task"]["jobs"])
        except Exception as e:  # the candidate's own failure: it scores 0 and the run goes on
            reply["error"] = f"{type(e).__name__}: {e}"
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["tasks"]:
        tasks(int(sys.argv[2]))
    else:
        main()
