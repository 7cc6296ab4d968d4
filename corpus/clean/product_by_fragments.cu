// A warp multiplies 16 rows and 16 columns: loads, products and a store of fragments.
// launch: --grid 2,4 --block 64 --arg m=64 --arg n=64 --arg k=48 --buffer a=2*m*k --buffer b=2*n*k --buffer c=4*m*n
// params: a,b,c,m,n,k
// expect-none
#define WORDS "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define REGISTERS(kind, x) kind (x[0]), kind (x[1]), kind (x[2]), kind (x[3]), kind (x[4]), \
                           kind (x[5]), kind (x[6]), kind (x[7])

extern "C" __global__ void product_by_fragments(const short* a, const short* b, float* c, int m,
                                                int n, int k)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 16, column = blockIdx.y * 16;
    if (row >= m || column >= n)
        return;
    unsigned left[8], right[8];
    float sum[8];
    float* out = c + row * n + column;
    asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " WORDS ", [%8], %9;"
                 : REGISTERS("=f", sum) : "l"(out), "r"(n) : "memory");
    for (int i = 0; i < k; i += 16) {
        asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " WORDS ", [%8], %9;"
                     : REGISTERS("=r", left) : "l"(a + row * k + i), "r"(k) : "memory");
        asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.global.f16 " WORDS ", [%8], %9;"
                     : REGISTERS("=r", right) : "l"(b + column * k + i), "r"(k) : "memory");
        asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " WORDS
                     ", {%8, %9, %10, %11, %12, %13, %14, %15}"
                     ", {%16, %17, %18, %19, %20, %21, %22, %23}, " WORDS ";"
                     : REGISTERS("+f", sum) : REGISTERS("r", left), REGISTERS("r", right));
    }
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%8], " WORDS ", %9;"
                 : REGISTERS("+f", sum) : "l"(out), "r"(n) : "memory");
}
// contract: requires k % 8 == 0
// contract: a = 32*((m + 15)//16)*k + 32*((k + 15)//16) - 2*k@16
// contract: b = 32*((n + 15)//16)*k + 32*((k + 15)//16) - 2*k@16
// contract: c = 64*((m + 15)//16)*n + 64*((n + 15)//16) - 4*n@16
