// A 16x8x16 product on the tensor cores, fragments loaded from shared memory.
// launch: --grid 1 --block 32 --buffer a=512 --buffer b=256 --buffer c=512
// params: a,b,c
// expect-none
extern "C" __global__ void matrix_fragments(const unsigned* a, const unsigned* b, float* c)
{
    __shared__ __align__(16) unsigned s[128];
    int t = threadIdx.x;
    for (int i = t; i < 128; i += 32)
        s[i] = a[i];
    __syncwarp();
    unsigned at = (unsigned)__cvta_generic_to_shared(&s[4 * t]), r0, r1, r2, r3;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at));
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                 : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(b[t]), "r"(b[t + 32]));
    float2* out = (float2*)c;
    out[(t / 4) * 4 + t % 4] = make_float2(d0, d1);
    out[(t / 4 + 8) * 4 + t % 4] = make_float2(d2, d3);
}
