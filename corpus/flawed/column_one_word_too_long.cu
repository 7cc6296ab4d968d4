// A thread copies one word more than its column of shared memory has.
// twin: mt607_shared_generate.cu, emitted with it by pricing_kernels
// launch: --grid 1 --block 128 --arg count=4 --arg streams=128 --buffer 'state=4*(23*streams)' --buffer 'numbers=4*(count*streams)' --assume 'nctaid.x*ntid.x >= streams'
// params: state,numbers,count,streams
namespace memory {
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
enum : unsigned { N = 19u };
enum : unsigned { M = 9u };
enum : unsigned { UPPER = 4294967294u };
enum : unsigned { LOWER = 1u };
enum : unsigned { U = 12u };
enum : unsigned { S = 7u };
enum : unsigned { T = 15u };
enum : unsigned { L = 18u };
enum : unsigned { FIRST_SEED = 19650218u };
enum : unsigned { SPREAD = 1812433253u };
enum : unsigned { MIX_KEY = 1664525u };
enum : unsigned { MIX_PLACE = 1566083941u };
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
enum : unsigned { N = 19u };
enum : unsigned { M = 9u };
enum : unsigned { UPPER = 4294967294u };
enum : unsigned { LOWER = 1u };
enum : unsigned { U = 12u };
enum : unsigned { S = 7u };
enum : unsigned { T = 15u };
enum : unsigned { L = 18u };
enum : unsigned { FIRST_SEED = 19650218u };
enum : unsigned { SPREAD = 1812433253u };
enum : unsigned { MIX_KEY = 1664525u };
enum : unsigned { MIX_PLACE = 1566083941u };
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

namespace own_parameters {
namespace M = memory;
namespace MT = twister_2;
template <class Words> struct Local { Words ring; unsigned position, oldest, a, b, c; };

// The parameters are there before.
__device__ __forceinline__ void seed_state(M::State state, unsigned long long seed)
{
    MT::seed_words(state, seed, state.stream);
    state[MT::N] = 0;
}

template <class Words>
__device__ __forceinline__ Local<Words> resumed(Words ring, M::State state)
{
    unsigned position = min(state[MT::N], MT::N - 1);
    return {ring, position, ring[position], state[MT::N + 1], state[MT::N + 2], state[MT::N + 3]};
}

template <class Words>
__device__ __forceinline__ unsigned generate(Local<Words>& local)
{
    unsigned word = MT::step(local.ring, local.position, local.oldest, local.a);
    return MT::temper(word, local.b, local.c);
}
}

namespace mt607_shared {
namespace M = memory;
namespace MT = twister;
namespace OWN = own_parameters;
enum : unsigned { THREADS = 128u };
// One thread's words in shared memory: each thread of a warp has a bank of its own.
struct Column {
    unsigned* first;

    __device__ __forceinline__ unsigned& operator[](unsigned word) const
    {
        return first[word * THREADS];
    }
};

using Local = OWN::Local<Column>;
using OWN::generate;

__device__ __forceinline__ void load(Local& local, M::State state)
{
    __shared__ unsigned words[MT::N * THREADS];
    Column ring = {words + threadIdx.x};
    for (unsigned word = 0; word <= MT::N; word++)
        ring[word] = state[word];  // expect: out-of-bounds
    local = OWN::resumed(ring, state);
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    OWN::seed_state(state, seed);
    load(local, state);
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    for (unsigned word = 0; word < MT::N; word++)
        state[word] = local.ring[word];
    state[MT::N] = local.position;
}
}

namespace generate {
namespace G = mt607_shared;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) column_one_word_too_long(unsigned* state, unsigned* numbers, unsigned count, unsigned streams)
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::load(local, mine);
    size_t end = (size_t)count * streams;
    for (size_t at = stream; at < end; at += streams)
        numbers[at] = G::generate(local);
    G::save(local, mine);
}
}
