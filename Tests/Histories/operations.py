"""Random histories as lists of operations, and how a failing one is made short.

An operation is its name and five small numbers. What the numbers mean depends on the state the
operation meets (the n-th branch, the n-th note), so every part of a list is a list that can be
played too.
"""
import random

WEIGHTS = {
    # Only what ordinary work does: verify is clean after each merge without a file in conflict.
    "merging": dict(pack=10, compact=3, rewrap=0.15, branch=3, merge=8, octopus=2, restore=1),
    # With the steps that leave segments out or put old files back.
    "everyday": dict(
        pack=10, compact=3, rewrap=0.15, branch=3, merge=7, octopus=2, restore=1, squash=1,
        cherry_pick=3, revert=3, rebase=2, reset=0.5),
}


def random_operations(seed, kind, length):
    """The operations of the history with this seed; it begins with a pack and a branch."""
    rng = random.Random(seed)
    names, weights = zip(*WEIGHTS[kind].items())
    chosen = ["pack", "branch"] + rng.choices(names, weights, k=max(0, length - 2))
    return [(name,) + tuple(rng.randrange(1 << 16) for _ in range(5)) for name in chosen]


def shrink(operations, fails):
    """The shortest part of a list that still fails, found by leaving operations out.

    fails takes a list of operations and says whether playing it goes wrong in the same way.
    """
    step = max(1, len(operations) // 2)
    while step:
        at, before = 0, len(operations)
        while at < len(operations):
            shorter = operations[:at] + operations[at + step:]
            if fails(shorter):
                operations = shorter
            else:
                at += step
        if step > 1 or len(operations) == before:
            step //= 2
    return operations
