// A step of a breadth-first search with a queue that grows by an atomic.
// launch: --grid 2 --block 32 --arg level=1 --buffer edges=4096 --buffer first=4096 --buffer depth=4096 --buffer queue=4096 --buffer length=8
// params: level,edges,first,depth,queue,length
// expect-none
extern "C" __global__ void breadth_first(int level, const int* edges, const int* first, int* depth,
                                         int* queue, int* length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length[0]) {
        int u = queue[i];
        for (int e = first[u]; e < first[u + 1]; e++)
            if (atomicCAS(&depth[edges[e]], -1, level) == -1)
                queue[atomicAdd(&length[1], 1)] = edges[e];
    }
}
