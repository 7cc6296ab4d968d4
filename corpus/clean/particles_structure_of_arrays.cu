// One array a field: a warp touches 4 sectors for 4 sectors of data.
// launch: --grid 2 --block 128 --arg dt=0.5 --buffer x=4*256 --buffer speed=4*256 --buffer y=4*256
// params: dt,x,speed,y
// expect-none
extern "C" __global__ void particles_structure_of_arrays(float dt, const float* x,
                                                         const float* speed, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] + dt * speed[i];
}
