// The words of a stream lie together: the threads of a warp read six words apart.
// twin: xorwow_generate.cu, emitted with it by pricing_kernels
// launch: --grid 2 --block 128 --arg count=3 --arg streams=256 --buffer 'state=4*(6*streams)' --buffer 'numbers=4*(count*streams)' --assume 'nctaid.x*ntid.x >= streams'
// params: state,numbers,count,streams
namespace memory {
struct State {
    unsigned* words;
    unsigned stream, streams;

    __device__ __forceinline__ unsigned& operator[](unsigned word) const
    {
        return words[(size_t)stream * 6 + word];
    }
};
}

namespace xorwow {
namespace M = memory;
enum : unsigned { ORDER = 160u };
enum : unsigned { WEYL = 362437u };
enum : unsigned { STREAM_BITS = 20u };
enum : unsigned { X = 123456789u };
enum : unsigned { Y = 362436069u };
enum : unsigned { Z = 521288629u };
enum : unsigned { W = 88675123u };
enum : unsigned { V = 5783321u };
enum : unsigned { D = 6615241u };
enum : unsigned { MASK0 = 2865916745u };
enum : unsigned { MASK1 = 4158451677u };
enum : unsigned { FACTOR0 = 1099087573u };
enum : unsigned { FACTOR1 = 2591861531u };
__constant__ const unsigned JUMPS[100] = {640239924u, 2008793672u, 445110992u, 2466271956u, 2491313618u, 1597621113u, 2514619302u, 552206194u, 306499166u, 3908903567u, 2806467865u, 935676384u, 336099282u, 616839460u, 3444763628u, 3761639109u, 2982767652u, 3686340454u, 1718613468u, 4053433938u, 4241028754u, 900360586u, 82558853u, 1149437104u, 137314261u, 1220708797u, 3897675672u, 2220545409u, 4252005674u, 742286326u, 3842176435u, 2005245233u, 2548157363u, 3926459514u, 1641411454u, 3096651472u, 1518753193u, 4218329333u, 34611554u, 2121256815u, 3013696948u, 3336516400u, 445376337u, 4058296865u, 1807096837u, 322822608u, 907953186u, 3323142095u, 3648102213u, 2522390884u, 434290408u, 4170662424u, 1315263338u, 2723611446u, 3921182850u, 2019779659u, 706858628u, 288261873u, 3976318478u, 3121888900u, 237809198u, 3506508409u, 1485977448u, 737562810u, 3380985050u, 557459562u, 1704375568u, 1874923182u, 950089031u, 298284190u, 342000103u, 2757444690u, 2947073685u, 1956686996u, 1260719626u, 587643986u, 2031041356u, 803500985u, 3162625984u, 155123352u, 2305133707u, 4086383381u, 2805983307u, 1012903350u, 2914684374u, 165976084u, 164296173u, 1797546201u, 463045057u, 757067715u, 2182486780u, 2612083797u, 4246788091u, 812486841u, 2462005359u, 2530419536u, 235411556u, 1778034584u, 3891981557u, 4059648446u};
struct Local { unsigned x, y, z, w, v, d; };

__device__ __forceinline__ void step(Local& s)
{
    unsigned t = s.x ^ s.x >> 2;
    s.x = s.y;
    s.y = s.z;
    s.z = s.w;
    s.w = s.v;
    s.v = (s.v ^ s.v << 4) ^ (t ^ t << 1);
}

__device__ __forceinline__ void jump(Local& s, const unsigned* polynomial)
{
    Local sum = {0, 0, 0, 0, 0, s.d};
    for (int word = 0; word < ORDER / 32; word++)
        for (int bit = 0; bit < 32; bit++) {
            unsigned chosen = -(polynomial[word] >> bit & 1);  // all ones or all zeros
            sum.x ^= s.x & chosen;
            sum.y ^= s.y & chosen;
            sum.z ^= s.z & chosen;
            sum.w ^= s.w & chosen;
            sum.v ^= s.v & chosen;
            step(s);
        }
    s = sum;
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    unsigned a = ((unsigned)seed ^ MASK0) * FACTOR0;
    unsigned b = ((unsigned)(seed >> 32) ^ MASK1) * FACTOR1;
    local = {X + a, Y ^ a, Z + b, W ^ b, V + a, D + a + b};
    for (int bit = 0; bit < STREAM_BITS; bit++)
        if (state.stream >> bit & 1)
            jump(local, JUMPS + ORDER / 32 * bit);
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local = {state[0], state[1], state[2], state[3], state[4], state[5]};  // expect: uncoalesced-access
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[0] = local.x;  // expect: uncoalesced-access
    state[1] = local.y;  // expect: uncoalesced-access
    state[2] = local.z;  // expect: uncoalesced-access
    state[3] = local.w;  // expect: uncoalesced-access
    state[4] = local.v;  // expect: uncoalesced-access
    state[5] = local.d;  // expect: uncoalesced-access
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    step(local);
    local.d += WEYL;
    return local.v + local.d;
}
}

namespace generate {
namespace G = xorwow;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) state_by_stream(unsigned* state, unsigned* numbers, unsigned count, unsigned streams)
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
