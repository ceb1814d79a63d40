/* Jie Long in plain C: a yardstick for the compiled engine.
 *
 * The default variant (four seats, one open end, discarding always allowed, no lock, one deal), with the chance of
 * gupai_env/core/rng.py, the actions of gupai_env/games/connecting.py and the observation of
 * gupai_env/encoders/connecting.py: the same seed and actions give the same masks, observations and payoffs, byte
 * for byte, and run.py checks that. Illegal actions are refused before anything is changed, as ours are.
 *
 * A tile set holds three bits a kind, as gupai_env/core/tiles.py has it. Words are little-endian.
 */
#include <stdint.h>
#include <string.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

enum { SEATS = 4, HAND = 8, DECK = 32, KINDS = 21, NUMBERS = 7, LOW_OPEN = KINDS, DISCARD = 2 * KINDS };
enum { ACTIONS = 3 * KINDS, NOBODY = -1 };
enum { /* where the sections of an observation begin */
    HAND_AT = 0, DISCARDS_AT = 21, UNSEEN_AT = 42, PLAYED_AT = 63, LAID_AT = 147, ENDS_AT = 168, SIZES_AT = 182,
    DROPS_AT = 186, MISSED_AT = 190, SUITS_AT = 226, UNSEEN_SUITS_AT = 232, LEADER_AT = 238, LAST_PLAYER_AT = 242,
    PASSES_AT = 246, TURN_AT = 247, FIRST_DEAL_AT = 248, LAST_DEAL_AT = 249, OBSERVATION = 252
};
static const int64_t LEADER_STREAM = (int64_t)1 << 40;

typedef struct {
    uint64_t hands[SEATS], discards[SEATS], played[SEATS]; /* tile sets */
    int16_t points[SEATS];                                 /* pips discarded */
    int8_t plays[SEATS], drops[SEATS];                     /* tiles laid, tiles discarded */
    int8_t missed[SEATS][NUMBERS + 1];                     /* discards made while this number was open */
    int8_t laid_at[KINDS];                                 /* the turn, from 1, at which the kind was last laid */
    int8_t open, turn, to_act, leader, last_player, passes;
} Deal;

typedef struct { /* arrays with one row a lane */
    int64_t lanes;
    Deal *deals;
    int64_t *seeds, *episodes;
    int8_t *seats, *masks, *observations;
    float *payoffs;
    int8_t *over;
} Table;

/* The kinds: [1:1], [2:1], [2:2], [3:1], ... [6:6]. Sets by number 0..6; 0 stands for "nothing open yet". */
static int8_t high[KINDS], low[KINDS], deck[DECK];
static uint64_t full_set, all_kinds, doubles, high_is[NUMBERS], low_is[NUMBERS], carrying[NUMBERS];

static uint64_t one(int kind) { return (uint64_t)1 << 3 * kind; }

void make_tables(void)
{
    int kind = 0, tile = 0;
    for (int h = 1; h <= 6; h++)
        for (int l = 1; l <= h; l++, kind++) {
            int civil = h == l || (l == 1 && (h == 3 || h == 5 || h == 6)) || (h == 6 && (l == 4 || l == 5));
            high[kind] = h, low[kind] = l;
            full_set += one(kind) * (1 + civil), all_kinds |= one(kind);
            for (int copy = 0; copy <= civil; copy++)
                deck[tile++] = kind;
            doubles |= h == l ? one(kind) : 0;
            high_is[h] |= one(kind), low_is[l] |= one(kind);
            carrying[h] |= one(kind), carrying[l] |= one(kind);
        }
    high_is[0] = low_is[0] = carrying[0] = all_kinds;
}

static int64_t derive(int64_t key, int64_t counter)
{
    uint64_t z = (uint64_t)key + ((uint64_t)counter + 1) * 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return (z ^ z >> 31) >> 1;
}

static int draw(int64_t key, int64_t counter, int n) { return (derive(key, counter) >> 32) * n >> 31; }

static uint64_t kinds_in(uint64_t tiles) { return (tiles | tiles >> 1 | tiles >> 2) & all_kinds; }

/* The eight lowest groups of three bits as bytes. */
static uint64_t spread(uint64_t tiles)
{
#ifdef __BMI2__
    return _pdep_u64(tiles, 0x0707070707070707);
#else
    tiles &= 0xFFFFFF;
    tiles = (tiles | tiles << 20) & 0x00000FFF00000FFF;
    tiles = (tiles | tiles << 10) & 0x003F003F003F003F;
    return (tiles | tiles << 5) & 0x0707070707070707;
#endif
}

static void put(int8_t *out, uint64_t word) { memcpy(out, &word, 8); }

static void write_counts(uint64_t tiles, int8_t *out)
{
    put(out, spread(tiles));
    put(out + 8, spread(tiles >> 24));
    put(out + KINDS - 8, spread(tiles >> 3 * (KINDS - 8)));
}

static void begin_deal(Deal *deal, int64_t seed)
{
    int64_t key = derive(seed, 0);
    int8_t order[DECK];
    memset(deal, 0, sizeof *deal);
    memcpy(order, deck, DECK);
    for (int last = DECK - 1; last > 0; last--) {
        int other = draw(key, last, last + 1), tile = order[last];
        order[last] = order[other], order[other] = tile;
    }
    for (int at = 0; at < DECK; at++)
        deal->hands[at / HAND] += one(order[at]);
    deal->leader = deal->to_act = draw(derive(seed, LEADER_STREAM), 0, SEATS);
    deal->last_player = NOBODY;
}

static void play(Deal *deal, int action)
{
    int seat = deal->to_act, kind = action % KINDS;
    deal->hands[seat] -= one(kind);
    deal->turn++;
    deal->to_act = (seat + 1) % SEATS;
    if (action < DISCARD) {
        deal->open = action < LOW_OPEN ? high[kind] : low[kind];
        deal->played[seat] += one(kind);
        deal->plays[seat]++;
        deal->laid_at[kind] = deal->turn;
        deal->last_player = seat;
        deal->passes = 0;
    } else {
        deal->discards[seat] += one(kind);
        deal->points[seat] += high[kind] + low[kind];
        deal->missed[seat][deal->open]++;
        deal->drops[seat]++;
        deal->passes++;
    }
}

static void write_mask(const Deal *deal, int8_t *mask)
{
    uint64_t hand = kinds_in(deal->hands[deal->to_act]);
    write_counts(hand & low_is[deal->open], mask);
    write_counts(hand & high_is[deal->open] & ~doubles, mask + LOW_OPEN);
    write_counts(deal->turn > 0 ? hand : 0, mask + DISCARD);
}

static void observe(const Deal *deal, int8_t *out)
{
    int viewer = deal->to_act;
    uint64_t hand = deal->hands[viewer], unseen = full_set - hand - deal->discards[viewer];
    memset(out, 0, OBSERVATION);
    write_counts(hand, out + HAND_AT);
    write_counts(deal->discards[viewer], out + DISCARDS_AT);
    for (int place = 0; place < SEATS; place++) {
        int seat = (viewer + place) % SEATS;
        unseen -= deal->played[seat];
        write_counts(deal->played[seat], out + PLAYED_AT + place * KINDS);
        out[SIZES_AT + place] = HAND - deal->plays[seat] - deal->drops[seat];
        out[DROPS_AT + place] = deal->drops[seat];
        if (place > 0)
            memcpy(out + MISSED_AT + (place - 1) * 6, deal->missed[seat] + 1, 6);
    }
    write_counts(unseen, out + UNSEEN_AT);
    memcpy(out + LAID_AT, deal->laid_at, KINDS);
    out[ENDS_AT + deal->open] = out[ENDS_AT + NUMBERS + deal->open] = 1;
    hand = kinds_in(hand), unseen = kinds_in(unseen);
    for (int number = 1; number < NUMBERS; number++) {
        out[SUITS_AT + number - 1] = __builtin_popcountll(hand & carrying[number]);
        out[UNSEEN_SUITS_AT + number - 1] = __builtin_popcountll(unseen & carrying[number]);
    }
    out[LEADER_AT + (deal->leader - viewer + SEATS) % SEATS] = 1;
    if (deal->last_player != NOBODY)
        out[LAST_PLAYER_AT + (deal->last_player - viewer + SEATS) % SEATS] = 1;
    out[PASSES_AT] = deal->passes;
    out[TURN_AT] = deal->turn;
    out[FIRST_DEAL_AT] = out[LAST_DEAL_AT] = 1;
}

static void show(const Table *table, int64_t lane)
{
    const Deal *deal = table->deals + lane;
    table->seats[lane] = deal->to_act;
    write_mask(deal, table->masks + lane * ACTIONS);
    observe(deal, table->observations + lane * OBSERVATION);
}

/* Play one action; where it ends the deal, pay and deal again. */
static void step_lane(const Table *table, int64_t lane, int action)
{
    Deal *deal = table->deals + lane;
    float *payoffs = table->payoffs + lane * SEATS;
    play(deal, action);
    memset(payoffs, 0, SEATS * sizeof *payoffs);
    table->over[lane] = deal->turn == DECK;
    if (deal->turn == DECK) {
        int total = 0;
        for (int seat = 0; seat < SEATS; seat++)
            total += deal->points[seat];
        for (int seat = 0; seat < SEATS; seat++)
            payoffs[seat] = total - SEATS * deal->points[seat];
        begin_deal(deal, derive(table->seeds[lane], ++table->episodes[lane]));
    }
    show(table, lane);
}

/* Eight zeros and ones as the bits of a byte. */
static uint64_t bits_of(uint64_t word)
{
#ifdef __BMI2__
    return _pext_u64(word, 0x0101010101010101);
#else
    return word * 0x0102040810204080 >> 56; /* the first is the lowest bit */
#endif
}

/* The place of the bit that has so many others below it. */
static int nth_one(uint64_t bits, int number)
{
#ifdef __BMI2__
    return __builtin_ctzll(_pdep_u64((uint64_t)1 << number, bits));
#else
    while (number--)
        bits &= bits - 1;
    return __builtin_ctzll(bits);
#endif
}

/* Return the action that `key` draws for a lane among those its mask allows. */
static int random_action(const int8_t *mask, int64_t key, int64_t lane)
{
    uint64_t words[8] = {0}, legal = 0;
    memcpy(words, mask, ACTIONS);
    for (int word = 0; word < 8; word++)
        legal |= bits_of(words[word]) << 8 * word;
    return nth_one(legal, draw(key, lane, __builtin_popcountll(legal)));
}

void begin(const Table *table)
{
    for (int64_t lane = 0; lane < table->lanes; lane++) {
        begin_deal(table->deals + lane, derive(table->seeds[lane], table->episodes[lane]));
        show(table, lane);
    }
}

void sample(const Table *table, int64_t key, int16_t *actions)
{
    for (int64_t lane = 0; lane < table->lanes; lane++)
        actions[lane] = random_action(table->masks + lane * ACTIONS, key, lane);
}

/* Play an action in every lane; if one is illegal, change nothing and return its lane, else -1. */
int64_t step(const Table *table, const int16_t *actions)
{
    for (int64_t lane = 0; lane < table->lanes; lane++)
        if (actions[lane] < 0 || actions[lane] >= ACTIONS || !table->masks[lane * ACTIONS + actions[lane]])
            return lane;
    for (int64_t lane = 0; lane < table->lanes; lane++)
        step_lane(table, lane, actions[lane]);
    return -1;
}

void play_random(const Table *table, int64_t steps, int64_t key)
{
    for (int64_t lane = 0; lane < table->lanes; lane++)
        for (int64_t number = 0; number < steps; number++)
            step_lane(table, lane, random_action(table->masks + lane * ACTIONS, derive(key, number), lane));
}

int64_t deal_size(void) { return sizeof(Deal); }
