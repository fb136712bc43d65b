"""MQAR once more, in plain Python and as slowly as it is easy to read.

`block` derives a block of examples from the raw 64-bit words, one number at a time, by the rules
the documentation states; `read` answers an example knowing nothing but the tokens and the pairs.
"""

import math

import numpy as np

BLOCK = 1024
SPLITS = ("train", "validation", "test")


class Words:
    def __init__(self, seed, *key):
        self.bits = np.random.PCG64(np.random.SeedSequence(entropy=seed, spawn_key=key))

    def word(self):
        return int(self.bits.random_raw())

    def below(self, bound):
        bits = bound.bit_length()
        return (self.word() >> bits) * bound >> (64 - bits)

    def unit(self):
        return ((self.word() >> 11) + 0.5) / 2**53


def distinct(words, choices, size):
    if choices <= 4 * size:
        rows = [[words.word() for _ in range(choices)] for _ in range(BLOCK)]
        return [sorted(range(choices), key=row.__getitem__)[:size] for row in rows]
    rows = [[words.below(choices) for _ in range(size)] for _ in range(BLOCK)]
    while True:
        again = [(r, i) for r, row in enumerate(rows) for i in range(size) if row[i] in row[:i]]
        if not again:
            return rows
        for r, i in again:
            rows[r][i] = words.below(choices)


def gaps(words, power, choices, size):
    rows = []
    for _ in range(BLOCK):
        waiting = [
            math.log(-math.log(words.unit())) - (power - 1) * math.log(i)
            for i in range(1, choices + 1)
        ]
        rows.append(sorted(range(choices), key=waiting.__getitem__)[:size])
    return rows


def avoiding(words, choices, avoided, size):
    rows = [[words.below(choices) for _ in range(size)] for _ in avoided]
    where = [(r, i) for r in range(len(rows)) for i in range(size)]
    while where := [(r, i) for r, i in where if rows[r][i] in avoided[r]]:
        for r, i in where:
            rows[r][i] = words.below(choices)
    return rows


def block(task, split, segment, number):
    """Tokens and labels of a block, lists of lists."""
    vocab, half = task.vocab_size, task.vocab_size // 2
    length, pairs = task.segments[segment].length, task.segments[segment].pairs
    words = [Words(task.seed, SPLITS.index(split), segment, number, part) for part in range(4)]
    keys = [[1 + k for k in row] for row in distinct(words[0], half - 1, pairs)]
    values = [[half + v for v in row] for row in distinct(words[1], vocab - half, pairs)]
    places = gaps(words[2], task.power_a, length // 2 - pairs, pairs)
    rest = length - 2 * pairs
    if task.filler == "random":
        filler = avoiding(words[3], vocab, keys, rest)
    elif task.filler == "any":
        filler = [[words[3].below(vocab) for _ in range(rest)] for _ in range(BLOCK)]
    else:
        filler = [[0] * rest for _ in range(BLOCK)]
    tokens, labels = [], []
    for row in range(BLOCK):
        context = [t for pair in zip(keys[row], values[row], strict=True) for t in pair]
        example, answer = context + filler[row], [-100] * length
        for key, value, place in zip(keys[row], values[row], places[row], strict=True):
            example[2 * pairs + 2 * place] = key
            answer[2 * pairs + 2 * place] = value
        tokens.append(example)
        labels.append(answer)
    return tokens, labels


def read(tokens, pairs):
    """Labels of one example: wherever a key of the context comes again, its value."""
    value_of = {tokens[2 * i]: tokens[2 * i + 1] for i in range(pairs)}
    return [
        value_of.get(token, -100) if at >= 2 * pairs else -100 for at, token in enumerate(tokens)
    ]
