// Rows of a table by token, four numbers a thread, tokens known to be rows.
// launch: --grid 5 --block 8 --arg vocab=1..20 --arg dim=4..40 --need "dim % 4 == 0" --buffer "token=4*nctaid.x holds 0..vocab-1" --buffer table=4*vocab*dim --buffer out=4*nctaid.x*dim
// params: token,table,out,vocab,dim
// input: token=zeros
// expect-none
extern "C" __global__ void embedding_rows(const int* token, const float* table, float* out,
    int vocab, int dim)
{
    const float4* from = (const float4*)(table + (size_t)token[blockIdx.x] * dim);
    float4* to = (float4*)(out + (size_t)blockIdx.x * dim);
    for (int i = threadIdx.x; i < dim >> 2; i += blockDim.x) to[i] = from[i];
}
