// A recurrence that goes on from a state, if there is one, and leaves it there: a pointer that may be null, and its flag.
// launch: --grid 3 --block 64 --arg steps=10 --buffer x=4*3*64*steps --buffer y=4*3*64*steps --buffer state=4*2*3*64
// params: x,y,state,steps
// expect-none
extern "C" __global__ void state_if_there_is_one(const float* x, float* y, float* state, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float* mine = state ? state + i : nullptr;
    float fast = 0.0f, slow = 0.0f;
    if (mine) fast = mine[0];
    if (mine) slow = mine[all];
    for (int t = 0; t < steps; ++t) {
        fast = 0.5f * fast + x[t * all + i];
        slow = 0.9f * slow + fast;
        y[t * all + i] = slow;
    }
    if (mine) mine[0] = fast;
    if (mine) mine[all] = slow;
}
