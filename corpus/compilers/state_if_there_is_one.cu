// A recurrence that goes on from a state, if there is one, and leaves it there: a pointer that may be null, and its flag.
// launch: --grid 3 --block 64 --arg steps=10 --buffer x=4*3*64*steps --buffer y=4*3*64*steps --buffer state=4*3*64
// params: x,y,state,steps
// expect-none
extern "C" __global__ void state_if_there_is_one(const float* x, float* y, float* state, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float* mine = state ? state + i : nullptr;
    float kept = 0.0f;
    if (mine) kept = *mine;
    for (int t = 0; t < steps; ++t) {
        kept = 0.5f * kept + x[t * all + i];
        y[t * all + i] = kept;
    }
    if (mine) *mine = kept;
}
// contract: state = 4*nctaid.x*ntid.x@4 or null
