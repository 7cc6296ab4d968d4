// Each thread moves its rates, of which there are at most 40, by weights of the distance from the step.
// launch: --grid 1 --block 64 --arg rates=25 --arg steps=20 --arg paths=50 --buffer start=100 --buffer weight=100 --buffer y=200
// params: start,weight,y,rates,steps,paths
extern "C" __global__ void rates_of_each_step(const float* start, const float* weight, float* y, int rates, int steps, int paths)
{
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths) return;
    float own[40], sum = 0;
    for (int i = 0; i < rates; ++i) own[i] = start[i];  // expect: local-memory-spill
    for (int s = 0; s < steps; ++s)
        for (int i = s; i < rates; ++i) own[i] += weight[i - s] * own[i];
    for (int i = 0; i < rates; ++i) sum += own[i];  // expect: local-memory-spill
    y[path] = sum;
}
// contract: requires rates <= 40
// contract: weight = max(12, 4*rates)@4
