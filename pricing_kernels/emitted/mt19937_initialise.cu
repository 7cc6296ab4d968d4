// First states of mt19937.
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

namespace mt19937 {
namespace M = memory;
namespace MT = twister;
enum : unsigned { A = 2567483615u };
enum : unsigned { B = 2636928640u };
enum : unsigned { C = 4022730752u };
#line 53 "mt19937.py"
struct Local { M::State ring; unsigned position, oldest; };

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    MT::seed_words(state, seed, state.stream);
    local = {state, 0, state[0]};
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    unsigned position = min(state[MT::N], MT::N - 1);
    local = {state, position, state[position]};
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[MT::N] = local.position;
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    return MT::temper(MT::step(local.ring, local.position, local.oldest, A), B, C);
}
}

namespace initialise {
namespace G = mt19937;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) mt19937_initialise(unsigned* state, unsigned long long seed, unsigned streams)
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
