// Forces between bodies: the block strides over all of them by tiles of its own size, which end with the last whole one.
// launch: --grid 3 --block 64 --shared 1024 --arg n=192 --buffer body=16*n --buffer force=16*n
// params: body,force,n
// expect-none
extern "C" __global__ void bodies_by_tiles_of_a_block(const float4* body, float4* force, int n)
{
    extern __shared__ float4 tile[];
    float4 own = body[blockIdx.x * blockDim.x + threadIdx.x], sum = make_float4(0, 0, 0, 0);
    for (int first = 0; first < n; first += blockDim.x) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; ++j) {
            float x = tile[j].x - own.x, y = tile[j].y - own.y, z = tile[j].z - own.z;
            float near = rsqrtf(x * x + y * y + z * z + 1e-6f), pull = tile[j].w * near * near * near;
            sum.x += x * pull, sum.y += y * pull, sum.z += z * pull;
        }
        __syncthreads();
    }
    force[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// contract: requires n + ntid.x <= 2**31
// contract: body = max(16*nctaid.x*ntid.x, 16*((n + ntid.x - 1)//ntid.x)*ntid.x)@16
