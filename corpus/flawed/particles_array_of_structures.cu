// One field of a 16-byte structure for each lane: a warp touches 16 sectors for 4 sectors of data.
// launch: --grid 2 --block 128 --arg dt=0.5 --buffer p=16*256 --buffer y=4*256
// params: dt,p,y
struct Particle { float x, speed, mass, charge; };
extern "C" __global__ void particles_array_of_structures(float dt, const Particle* p, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = p[i].x;  // expect: uncoalesced-access
    float speed = p[i].speed;  // expect: uncoalesced-access
    y[i] = x + dt * speed;
}
