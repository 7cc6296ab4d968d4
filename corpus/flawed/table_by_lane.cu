// Each lane reads its own element of a table in constant memory, one after the other.
// twin: mrg32k3a_initialise.cu, emitted with it by pricing_kernels
// launch: --grid 1 --block 128 --arg seed=1 --arg streams=128 --buffer 'state=4*(6*streams)' --assume 'nctaid.x*ntid.x >= streams'
// params: state,seed,streams
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

namespace mrg32k3a {
namespace M = memory;
enum : unsigned { M1 = 4294967087u };
enum : unsigned { M2 = 4294944443u };
enum : unsigned { C1 = 209u };
enum : unsigned { C2 = 22853u };
enum : unsigned { A12 = 1403580u };
enum : unsigned { A13 = 810728u };
enum : unsigned { A21 = 527612u };
enum : unsigned { A23 = 1370589u };
enum : unsigned { STREAM_BITS = 20u };
__constant__ const unsigned JUMPS_X[180] = {82758667u, 1871391091u, 4127413238u, 3672831523u, 69195019u, 1871391091u, 3672091415u, 3528743235u, 69195019u, 3361372532u, 2329303404u, 99651939u, 2008671965u, 2931758910u, 2329303404u, 1113529483u, 2374097189u, 2931758910u, 1831590873u, 1588259595u, 1314332382u, 2385989343u, 2508077280u, 1588259595u, 1787615788u, 661437137u, 2508077280u, 2326052247u, 4183591379u, 4049009082u, 2604529491u, 1453913233u, 4183591379u, 2311925423u, 1805360390u, 1453913233u, 3956367490u, 604461629u, 1257432102u, 794711716u, 1155867175u, 604461629u, 1777070788u, 429445904u, 1155867175u, 1686241617u, 1257046062u, 1427609439u, 490376081u, 387798431u, 1257046062u, 235551485u, 1312672615u, 387798431u, 2362447880u, 3445363024u, 3160262066u, 2426867845u, 4194339866u, 3445363024u, 1046144413u, 4177893681u, 4194339866u, 4251175413u, 3559576374u, 3107663662u, 697539134u, 1909472435u, 3559576374u, 280754246u, 375835695u, 1909472435u, 1099512970u, 712404985u, 1571467521u, 546519870u, 1135109300u, 712404985u, 3325312332u, 2352874613u, 1135109300u, 1945425936u, 1653045514u, 381988982u, 3733376326u, 414410025u, 1653045514u, 1181583679u, 1185848176u, 414410025u, 2526336124u, 3019211015u, 4215964965u, 2683163472u, 4188191530u, 3019211015u, 2964651598u, 293801056u, 4188191530u, 1444052678u, 2253324417u, 39719589u, 1880267534u, 2391992038u, 2253324417u, 987740265u, 3691889508u, 2391992038u, 166599066u, 2335494420u, 1232261118u, 2227597731u, 2570600780u, 2335494420u, 2700034538u, 3460843234u, 2570600780u, 2511338360u, 1188954576u, 1251401239u, 2511664974u, 292276982u, 1188954576u, 697844082u, 3093661552u, 292276982u, 3624650744u, 51993077u, 3540268009u, 3252828938u, 3710319575u, 51993077u, 2858628849u, 3910069381u, 3710319575u, 655966702u, 754002362u, 1646581402u, 1958331075u, 475572423u, 754002362u, 3248619000u, 3228514800u, 475572423u, 2760311307u, 4166372813u, 741596417u, 2282679206u, 3090782630u, 4166372813u, 3242468721u, 1628442374u, 3090782630u, 4265279407u, 3532111852u, 1754687396u, 500404765u, 2603727025u, 3532111852u, 1428367254u, 3149485478u, 2603727025u, 2873769531u, 2081104178u, 596284397u, 4153800443u, 1261269623u, 2081104178u, 3967600061u, 1830023157u, 1261269623u, 278611533u, 2229285304u, 3443204327u, 3110641420u, 77498444u, 2229285304u, 3904070810u, 1070507239u, 77498444u};
__constant__ const unsigned JUMPS_Y[180] = {1511326704u, 3759209742u, 1610795712u, 4292754251u, 1511326704u, 3889917532u, 3859662829u, 4292754251u, 3708466080u, 972103006u, 964807713u, 878035866u, 4248550197u, 972103006u, 1926628839u, 1448629089u, 4248550197u, 3196114006u, 3497384788u, 3174249442u, 3182508868u, 3864816447u, 3497384788u, 3038399593u, 2546884738u, 3864816447u, 2980208068u, 1776335558u, 1189944887u, 4095757548u, 3813600746u, 1776335558u, 789475914u, 4119698302u, 3813600746u, 2145357457u, 4022832294u, 4130146837u, 1942923647u, 1675130777u, 4022832294u, 916677004u, 4089786548u, 1675130777u, 116540512u, 165639584u, 1205513289u, 2037453462u, 1444587280u, 165639584u, 161923120u, 2617085459u, 1444587280u, 2006913311u, 3458099202u, 3062421748u, 4052486999u, 1064270720u, 3458099202u, 230768332u, 4056228301u, 1064270720u, 2219267779u, 296275263u, 3452455838u, 2081462173u, 1789143993u, 296275263u, 3463234943u, 2097389984u, 1789143993u, 3447191459u, 2828288883u, 3866690251u, 410553827u, 1587005542u, 2828288883u, 1469478670u, 2766486018u, 1587005542u, 2627363449u, 3288027530u, 412403981u, 2458742268u, 4267121909u, 3288027530u, 138566505u, 420803572u, 4267121909u, 4094554844u, 3844599430u, 2430152838u, 3283485436u, 2486244684u, 3844599430u, 4252427633u, 3560842909u, 2486244684u, 3960267499u, 67933059u, 1294996291u, 2657888382u, 513233413u, 67933059u, 1379805031u, 44564058u, 513233413u, 86971645u, 2732588524u, 1866530072u, 818237694u, 2540507736u, 2732588524u, 3257104212u, 1164400003u, 2540507736u, 1124501551u, 4199239222u, 3155848463u, 2121388468u, 1135554501u, 4199239222u, 2056492193u, 3251740389u, 1135554501u, 2343537248u, 550710036u, 500329021u, 1075236085u, 356444753u, 550710036u, 1634965500u, 58733535u, 356444753u, 1261552815u, 708689546u, 419139045u, 2012018174u, 706488081u, 708689546u, 1113760995u, 585555005u, 706488081u, 76092226u, 1293182265u, 3168473803u, 366230236u, 3319068849u, 1293182265u, 1085259665u, 1675229290u, 3319068849u, 3912300371u, 3186089068u, 4188864734u, 1211781402u, 756122322u, 3186089068u, 578262892u, 2518961174u, 756122322u, 1658665581u, 1347291439u, 2050427676u, 736113023u, 4102191254u, 1347291439u, 878627148u, 1293500383u, 4102191254u, 745646810u, 4196897331u, 3436564969u, 1900167098u, 3108887846u, 4196897331u, 2697923227u, 1405263476u, 3108887846u, 314631094u};
struct Local { unsigned x[3], y[3]; };

// Modulo 2^32 - c, 2^32 and c are the same residue.
template <unsigned c> __device__ __forceinline__ unsigned long long fold(unsigned long long n)
{
    return (n >> 32) * c + (unsigned)n;
}

template <unsigned c> __device__ __forceinline__ unsigned residue(unsigned long long n)
{
    n = fold<c>(fold<c>(n));
    return n >= -c ? n + c : n;
}

template <unsigned c> __device__ __forceinline__ void apply(const unsigned* matrix, unsigned v[3])
{
    unsigned w[3];
    for (int row = 0; row < 3; row++) {
        unsigned long long sum = 0;
        for (int column = 0; column < 3; column++)
            sum += fold<c>((unsigned long long)matrix[3 * row + column] * v[column]);  // expect: serialized-constant
        w[row] = residue<c>(sum);
    }
    for (int row = 0; row < 3; row++)
        v[row] = w[row];
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    unsigned low = (unsigned)seed ^ 0x55555555, high = (unsigned)(seed >> 32) ^ 0xAAAAAAAA;
    unsigned words[2] = {seed ? low : 1, seed ? high : 1};
    for (int i = 0; i < 3; i++) {
        local.x[i] = residue<C1>(12345ull * words[i % 2]);
        local.y[i] = residue<C2>(12345ull * words[(i + 1) % 2]);
    }
    for (int bit = 0; bit < STREAM_BITS; bit++)
        if (state.stream >> bit & 1) {
            apply<C1>(JUMPS_X + 9 * (state.stream % STREAM_BITS), local.x);
            apply<C2>(JUMPS_Y + 9 * bit, local.y);
        }
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    for (int i = 0; i < 3; i++) {
        local.x[i] = state[i];
        local.y[i] = state[3 + i];
    }
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    for (int i = 0; i < 3; i++) {
        state[i] = local.x[i];
        state[3 + i] = local.y[i];
    }
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned *x = local.x, *y = local.y;
    unsigned next_x = residue<C1>((unsigned long long)A12 * x[1] + (M1 - x[0]) * (0ull + A13));
    unsigned next_y = residue<C2>((unsigned long long)A21 * y[2] + (M2 - y[0]) * (0ull + A23));
    x[0] = x[1], x[1] = x[2], x[2] = next_x;
    y[0] = y[1], y[1] = y[2], y[2] = next_y;
    return next_x - next_y + (next_x < next_y ? M1 : 0);
}
}

namespace initialise {
namespace G = mrg32k3a;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) table_by_lane(unsigned* state, unsigned long long seed, unsigned streams)
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
