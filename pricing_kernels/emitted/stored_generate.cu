// Numbers of stored.
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

namespace stored {
namespace M = memory;
enum : unsigned { CAPACITY = 1024u };
#line 45 "stored.py"
struct Local {
    M::State numbers;
    unsigned place;  // of the next number
};

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local.place = 0;
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local.numbers = state;
    local.place = state[0] % CAPACITY;
}

__device__ __forceinline__ void save(Local& local, M::State state) { state[0] = local.place; }

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned number = local.numbers[1 + local.place];
    local.place = (local.place + 1) % CAPACITY;
    return number;
}
}

namespace generate {
namespace G = stored;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) stored_generate(unsigned* state, unsigned* numbers, unsigned count, unsigned streams)
#line 144 "generator.py"
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
