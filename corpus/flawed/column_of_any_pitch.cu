// Lanes go down a column of shared rows: with an even pitch some of them meet in a bank.
// launch: --grid 1 --block 32 --arg pitch=1..64 --buffer out=4*32
// params: pitch,out
extern "C" __global__ void column_of_any_pitch(int pitch, float* out)
{
    __shared__ volatile float rows[32 * 64];
    int t = threadIdx.x;
    rows[t * pitch] = 1.0f;  // expect: shared-bank-conflict
    __syncwarp();
    out[t] = rows[(31 - t) * pitch];  // expect: shared-bank-conflict
}
