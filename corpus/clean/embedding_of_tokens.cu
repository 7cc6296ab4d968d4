// Batch, position and channel of an embedding by divisions of one index, and back: the sum of these is the index itself.
// launch: --grid 3 --block 64 --arg batch=3 --arg length=5 --arg channels=12 --buffer out=4*batch*length*channels --buffer token=4*batch*length --buffer place=4*length*channels
// params: out,token,place,batch,length,channels
// expect-none
extern "C" __global__ void embedding_of_tokens(float* out, const int* token, const float* place, int batch, int length, int channels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * length * channels) return;
    int row = i / channels, b = row / length, t = row % length, c = i % channels;
    out[b * length * channels + t * channels + c] = token[b * length + t] + place[t * channels + c];
}
// contract: requires length >= 1
// contract: out = 4*batch*channels*length@4
// contract: token = 4*batch*length@4
// contract: place = 4*channels*length@4
