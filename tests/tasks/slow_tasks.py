"""The tasks with one query and selective copying once more, one number at a time.

Each function derives a block of examples from the raw 64-bit words by the rules the documentation
states: tokens and labels, lists of lists.
"""

from slow_mqar import BLOCK, SPLITS, Words, distinct


def words_of(task, split, segment, number, parts):
    return [Words(task.seed, SPLITS.index(split), segment, number, part) for part in range(parts)]


def associative_recall(task, split, segment, number):
    pairs, vocab = task.segments[segment].pairs, task.vocab_size
    of_keys, of_values, of_query = words_of(task, split, segment, number, 3)
    if task.vocabulary == "shared":
        both = distinct(of_keys, vocab - 1, 2 * pairs)
        keys = [[1 + token for token in row[:pairs]] for row in both]
        values = [[1 + token for token in row[pairs:]] for row in both]
    else:
        half = vocab // 2
        keys = [[1 + k for k in row] for row in distinct(of_keys, half - 1, pairs)]
        values = [[half + v for v in row] for row in distinct(of_values, vocab - half, pairs)]
    tokens, labels = [], []
    for of_key, of_value in zip(keys, values, strict=True):
        asked = of_query.below(pairs)
        context = [token for pair in zip(of_key, of_value, strict=True) for token in pair]
        tokens.append([*context, of_key[asked]])
        labels.append([-100] * 2 * pairs + [of_value[asked]])
    return tokens, labels


def induction(task, split, segment, number):
    length = task.segments[segment].length
    of_tokens, of_place = words_of(task, split, segment, number, 2)
    tokens, labels = [], []
    drawn = [
        [1 + of_tokens.below(task.vocab_size - 1) for _ in range(length)] for _ in range(BLOCK)
    ]
    for row in drawn:
        place = of_place.below(length - 2)
        row[place] = row[-1] = 0
        tokens.append(row)
        labels.append([-100] * (length - 1) + [row[place + 1]])
    return tokens, labels


def selective_copy(task, split, segment, number):
    length, items = task.segments[segment].length, task.segments[segment].items
    of_data, of_places, of_noise = words_of(task, split, segment, number, 3)
    before, marker = length - items, task.noise
    data = [
        [marker + 1 + of_data.below(task.vocab_size - marker - 1) for _ in range(items)]
        for _ in range(BLOCK)
    ]
    places = [sorted(row) for row in distinct(of_places, before, items)]
    noise = [[of_noise.below(task.noise) for _ in range(before)] for _ in range(BLOCK)]
    tokens, labels = [], []
    for row, items_, at in zip(noise, data, places, strict=True):
        for place, item in zip(at, items_, strict=True):
            row[place] = item
        tokens.append(row + [marker] * items)
        labels.append([-100] * before + items_)
    return tokens, labels
