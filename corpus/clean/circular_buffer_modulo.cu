// A ring of any capacity: places wrap by remainder.
// launch: --grid 2 --block 32 --arg capacity=1..50 --arg head=0..49 --arg count=1..50 --buffer ring=4*capacity --buffer out=4*count
// params: capacity,head,count,ring,out
// expect-none
extern "C" __global__ void circular_buffer_modulo(unsigned capacity, unsigned head, unsigned count,
                                                  const float* ring, float* out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = ring[(head + i) % capacity];
}
