// First states of mt19937_realigned.
namespace memory {
#line 17 "memory.py"
struct State {
    unsigned* words;
    unsigned stream, streams;

    __device__ __forceinline__ unsigned& operator[](unsigned word) const
    {
        return words[(size_t)word * streams + stream];
    }
};
}

namespace twister {
enum : unsigned { N = 624u };
enum : unsigned { M = 397u };
enum : unsigned { UPPER = 2147483648u };
enum : unsigned { LOWER = 2147483647u };
enum : unsigned { U = 11u };
enum : unsigned { S = 7u };
enum : unsigned { T = 15u };
enum : unsigned { L = 18u };
enum : unsigned { FIRST_SEED = 19650218u };
enum : unsigned { SPREAD = 1812433253u };
enum : unsigned { MIX_KEY = 1664525u };
enum : unsigned { MIX_PLACE = 1566083941u };
#line 191 "twister.py"
__device__ __forceinline__ unsigned twist(unsigned oldest, unsigned next, unsigned middle,
                                          unsigned a)
{
    unsigned y = (oldest & UPPER) | (next & LOWER);
    return middle ^ y >> 1 ^ (y & 1 ? a : 0);
}

__device__ __forceinline__ unsigned temper(unsigned y, unsigned b, unsigned c)
{
    y ^= y >> U;
    y ^= y << S & b;
    y ^= y << T & c;
    return y ^ y >> L;
}

__device__ __forceinline__ unsigned mixed(unsigned word, unsigned factor)
{
    return (word ^ word >> 30) * factor;
}

template <class Words>
__device__ __forceinline__ void mix(Words words, unsigned i, unsigned& word, unsigned factor,
                                    unsigned addend)
{
    words[i] = word = (words[i] ^ mixed(word, factor)) + addend;
}

// The first N words of the stream `id`; Words is a pointer, or what else has an operator [].
template <class Words>
__device__ __forceinline__ void seed_words(Words words, unsigned long long seed, unsigned id)
{
    unsigned word = FIRST_SEED;
    for (unsigned i = 1; i < N; i++)
        words[i] = word = mixed(word, SPREAD) + i;
    word = FIRST_SEED;
    unsigned key = seed, next = (seed >> 32) + 1, last = id + 2;
    for (unsigned i = 1; i < N; i++) {
        mix(words, i, word, MIX_KEY, key);
        unsigned used = key;
        key = next;
        next = last;
        last = used;
    }
    mix(words, 1, word, MIX_KEY, key);
    for (unsigned i = 2; i < N; i++)
        mix(words, i, word, MIX_PLACE, -i);
    mix(words, 1, word, MIX_PLACE, -1);
    words[0] = 0x80000000;
}

// One step of one thread in a ring of N words (thesis, algorithm 9): two reads and one write,
// since the word after the oldest is the oldest of the next step.
template <class Words>
__device__ __forceinline__ unsigned step(Words words, unsigned& position, unsigned& oldest,
                                         unsigned a)
{
    unsigned after = position < N - 1 ? position + 1 : 0;
    unsigned next = words[after];
    unsigned middle = words[position < N - M ? position + M : position + M - N];
    unsigned word = twist(oldest, next, middle, a);
    words[position] = word;
    position = after;
    oldest = next;
    return word;
}
}

namespace twister_2 {
enum : unsigned { N = 624u };
enum : unsigned { M = 397u };
enum : unsigned { UPPER = 2147483648u };
enum : unsigned { LOWER = 2147483647u };
enum : unsigned { U = 11u };
enum : unsigned { S = 7u };
enum : unsigned { T = 15u };
enum : unsigned { L = 18u };
enum : unsigned { FIRST_SEED = 19650218u };
enum : unsigned { SPREAD = 1812433253u };
enum : unsigned { MIX_KEY = 1664525u };
enum : unsigned { MIX_PLACE = 1566083941u };
#line 191 "twister.py"
__device__ __forceinline__ unsigned twist(unsigned oldest, unsigned next, unsigned middle,
                                          unsigned a)
{
    unsigned y = (oldest & UPPER) | (next & LOWER);
    return middle ^ y >> 1 ^ (y & 1 ? a : 0);
}

__device__ __forceinline__ unsigned temper(unsigned y, unsigned b, unsigned c)
{
    y ^= y >> U;
    y ^= y << S & b;
    y ^= y << T & c;
    return y ^ y >> L;
}

__device__ __forceinline__ unsigned mixed(unsigned word, unsigned factor)
{
    return (word ^ word >> 30) * factor;
}

template <class Words>
__device__ __forceinline__ void mix(Words words, unsigned i, unsigned& word, unsigned factor,
                                    unsigned addend)
{
    words[i] = word = (words[i] ^ mixed(word, factor)) + addend;
}

// The first N words of the stream `id`; Words is a pointer, or what else has an operator [].
template <class Words>
__device__ __forceinline__ void seed_words(Words words, unsigned long long seed, unsigned id)
{
    unsigned word = FIRST_SEED;
    for (unsigned i = 1; i < N; i++)
        words[i] = word = mixed(word, SPREAD) + i;
    word = FIRST_SEED;
    unsigned key = seed, next = (seed >> 32) + 1, last = id + 2;
    for (unsigned i = 1; i < N; i++) {
        mix(words, i, word, MIX_KEY, key);
        unsigned used = key;
        key = next;
        next = last;
        last = used;
    }
    mix(words, 1, word, MIX_KEY, key);
    for (unsigned i = 2; i < N; i++)
        mix(words, i, word, MIX_PLACE, -i);
    mix(words, 1, word, MIX_PLACE, -1);
    words[0] = 0x80000000;
}

// One step of one thread in a ring of N words (thesis, algorithm 9): two reads and one write,
// since the word after the oldest is the oldest of the next step.
template <class Words>
__device__ __forceinline__ unsigned step(Words words, unsigned& position, unsigned& oldest,
                                         unsigned a)
{
    unsigned after = position < N - 1 ? position + 1 : 0;
    unsigned next = words[after];
    unsigned middle = words[position < N - M ? position + M : position + M - N];
    unsigned word = twist(oldest, next, middle, a);
    words[position] = word;
    position = after;
    oldest = next;
    return word;
}
}

namespace warp_step {
namespace MT = twister_2;
enum : unsigned { A = 2567483615u };
enum : unsigned { B = 2636928640u };
enum : unsigned { C = 4022730752u };
enum : unsigned { WARP = 32u };
enum : unsigned { LINES = 20u };
enum : unsigned { RING = 640u };
#line 86 "mt19937_warp.py"
struct Local { unsigned* ring; unsigned line; };

__device__ __forceinline__ unsigned lane() { return threadIdx.x % WARP; }

__device__ __forceinline__ unsigned wrapped(unsigned place)
{
    return place < RING ? place : place - RING;
}

__device__ __forceinline__ void seed_ring(unsigned* ring, unsigned long long seed, unsigned warp)
{
    if (lane() < RING - MT::N)
        ring[lane()] = 0;
    if (lane() == 0)
        MT::seed_words(ring + RING - MT::N, seed, warp);
    __syncwarp();
}

__device__ __forceinline__ unsigned write(Local& local, unsigned word)
{
    local.ring[WARP * local.line + lane()] = word;
    local.line = local.line < LINES - 1 ? local.line + 1 : 0;
    return MT::temper(word, B, C);
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned place = WARP * local.line + lane();
    unsigned oldest = local.ring[wrapped(place + RING - MT::N)];
    unsigned next = local.ring[wrapped(place + RING - MT::N + 1)];
    unsigned middle = local.ring[wrapped(place + RING - MT::N + MT::M)];
    __syncwarp();
    return write(local, MT::twist(oldest, next, middle, A));
}
}

namespace mt19937_light {
namespace M = memory;
namespace W = warp_step;
#line 167 "mt19937_warp.py"
using W::generate;
using W::Local;

__device__ __forceinline__ unsigned* ring(M::State state)
{
    return state.words + state.stream / W::WARP * W::RING;
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local = {ring(state), 0};
    W::seed_ring(local.ring, seed, state.stream / W::WARP);
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local = {ring(state), min(state[W::LINES], W::LINES - 1)};
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[W::LINES] = local.line;
}
}

namespace mt19937_realigned {
namespace M = memory;
namespace L = mt19937_light;
namespace W = warp_step;
namespace MT = twister;
#line 198 "mt19937_warp.py"
// `last` is, in the last lane, the word before those that the next step reads.
struct Local { W::Local warp; unsigned last; };

// The 32 words from `place` words after the next one, of which a lane gets its own. The first
// lanes read the line after the others', so that both reads begin with a line.
__device__ __forceinline__ unsigned read(const W::Local& warp, unsigned place)
{
    unsigned line = warp.line + place / W::WARP, offset = place % W::WARP, word;
    if (W::lane() < offset)
        word = warp.ring[W::wrapped(W::WARP * (line + 1)) + W::lane()];
    else
        word = warp.ring[W::wrapped(W::WARP * line) + W::lane()];
    return __shfl_sync(0xffffffff, word, (W::lane() + offset) % W::WARP);
}

__device__ __forceinline__ unsigned before_next(const W::Local& warp)
{
    return warp.ring[W::wrapped(W::WARP * warp.line + W::RING - MT::N)];
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    L::initialise(local.warp, state, seed);
    local.last = before_next(local.warp);
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    L::load(local.warp, state);
    local.last = before_next(local.warp);
}

__device__ __forceinline__ void save(Local& local, M::State state) { L::save(local.warp, state); }

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned next = read(local.warp, W::RING - MT::N + 1);
    unsigned middle = read(local.warp, W::RING - MT::N + MT::M);
    unsigned before = W::lane() < W::WARP - 1 ? next : local.last;
    unsigned oldest = __shfl_sync(0xffffffff, before, (W::lane() + W::WARP - 1) % W::WARP);
    local.last = next;
    __syncwarp();
    return W::write(local.warp, MT::twist(oldest, next, middle, W::A));
}
}

namespace initialise {
namespace G = mt19937_realigned;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) mt19937_realigned_initialise(unsigned* state, unsigned long long seed, unsigned streams)
#line 132 "generator.py"
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::initialise(local, mine, seed);
    G::save(local, mine);
}
}
