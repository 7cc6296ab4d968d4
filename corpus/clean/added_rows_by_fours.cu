// A thread adds four numbers of a row that it finds by dividing its first index by the row's length.
// launch: --grid 3 --block 64 --arg batch=1..3 --arg length=1..4 --arg cols=4..64 --need "cols % 4 == 0" --buffer x=4*batch*length*cols --buffer row=4*length*cols
// params: x,row,batch,length,cols
// expect-none
extern "C" __global__ void added_rows_by_fours(float* x, const float* row, int batch, int length, int cols)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= batch * length * cols)
        return;
    int line = i / cols % length, col = i % cols;
    float4 add = *reinterpret_cast<const float4*>(row + line * cols + col);
    float4* at = reinterpret_cast<float4*>(x + i);
    float4 v = *at;
    *at = make_float4(v.x + add.x, v.y + add.y, v.z + add.z, v.w + add.w);
}
// contract: requires cols % 4 == 0
// contract: x = 4*batch*cols*length@16
// contract: row = 4*cols*length@16
