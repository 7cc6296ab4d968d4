// Distances on a sphere, from latitudes and longitudes in degrees.
// launch: --grid 3 --block 128 --arg n=300 --buffer from=16*n --buffer to=16*n --buffer distance=8*n
// params: from,to,distance,n,radius
// expect-none
extern "C" __global__ void haversine(const double2* from, const double2* to, double* distance, int n, double radius) // float64
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double degree = 0.017453292519943295;
    double2 a = from[i], b = to[i];
    double up = sin((b.x - a.x) * degree / 2), across = sin((b.y - a.y) * degree / 2);
    double h = up * up + cos(a.x * degree) * cos(b.x * degree) * across * across;
    distance[i] = 2 * radius * asin(fmin(1.0, sqrt(h)));
}
// contract: requires nctaid.x*ntid.x <= 2**31
// contract: from = 16*n@16
// contract: distance = 8*n@8
