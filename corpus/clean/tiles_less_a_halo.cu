// A field on a ring in tiles of 96 places: a block loads all of them, and stores those that are farther from its ends than the halo.
// launch: --grid 7 --block 96 --arg n=500 --arg halo=8 --buffer u=2000 --buffer v=2000
// params: u,v,n,halo
// expect-none
extern "C" __global__ void tiles_less_a_halo(const float* u, float* v, int n, int halo)
{
    __shared__ float tile[96];
    int t = threadIdx.x;
    int place = (int)blockIdx.x * (96 - 2 * halo) + t - halo;
    int from = place < 0 ? place + n : place;
    if (from >= n) from -= n;
    tile[t] = u[from];
    __syncthreads();
    if (t >= halo && t < 96 - halo && place < n) v[place] = tile[t];
}
// contract: requires halo <= 48
// contract: u = max(4*n, 4*halo + 384*nctaid.x + 4*ntid.x - 8*halo*nctaid.x - 4*n - 384)@4
// contract: v = 4*n@4
