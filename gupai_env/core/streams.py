"""All RNG streams, each a counter of a key: `derive(key, TRAINING_STREAM)` is a key that is used for nothing else.

Streams are defined only here and no two have the same number, so that no deal of one purpose occurs in another. Smaller
counters number deals of a match and of a stream, lanes, episodes and generations. Changing a number changes what is
played, dealt or learned from a seed.
"""

# Of a key that is drawn for an attempt to deal hidden tiles again:
LUCK_STREAM = 1 << 20  # the draw that decides whether the attempt is kept

# Of the key of an episode, or of the lane that plays it:
LEADER_STREAM = 1 << 40  # the first leader
NOISE_STREAM = 1 << 41  # + seat, up to the next: the random numbers that players use
LEARNER_STREAM = 1 << 44  # the learner's seat
POOL_STREAM = 1 << 56  # who of a pool sits in the other seats
ASKED_STREAM = (1 << 49) + 1  # claims: the seat in question,
ORDER_STREAM = (1 << 49) + 2  # the order of the tiles where a claim sets a condition,
COUNTS_STREAM = (1 << 49) + 3  # how many of them lie where,
FIELD_STREAM = 1 << 53  # and who sits where

# Of a seed: deals for one purpose only.
EVALUATION_STREAM = 1 << 42  # to compare players on
TRAINING_STREAM = 1 << 43  # to learn from in self-play
TUNING_STREAM = 1 << 45  # to tune on
CLAIM_STREAM = 1 << 48  # to test claims on
TARGETS_STREAM = 1 << 54  # to compute search targets on
PERSON_STREAM = 1 << 55  # no deals, but where a person sits
DATA_STREAM = 1 << 58  # a seed of deals to record for data sets
SPLIT_STREAM = 1 << 59  # no deals, but which of a data set are to test on

# Of the key of a decision:
DEAL_STREAM = 1 << 46  # search: hidden tiles dealt again,
PICK_STREAM = 1 << 47  # and which of those deals are used
DISCARD_STREAM = 1 << 50  # a claim's player: which tile is discarded,
PREFER_STREAM = 1 << 51  # stands in for the preferences of a player that has no scores,
UNIFORM_STREAM = 1 << 52  # and draws of a player that has none
INSTEAD_STREAM = 1 << 57  # the legal action that replaces an illegal one
