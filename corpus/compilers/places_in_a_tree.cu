// Keys are sought in a tree whose nodes name their children: -1 where there is none. The child is read through the pointer that is chosen.
// launch: --grid 2 --block 32 --arg n=1..60 --arg nodes=20 --buffer left=4*nodes --values left=-1..nodes-1:s32 --buffer right=4*nodes --values right=-1..nodes-1:s32 --buffer key=4*nodes --buffer sought=4*n --buffer y=4*n
// params: left,right,key,sought,y,n,nodes
// expect-none
extern "C" __global__ void places_in_a_tree(
    const int* left, const int* right, const int* key, const int* sought, int* y, int n, int nodes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = 0, found = -1, wanted = sought[i];
    for (int steps = 0; at >= 0 && steps < nodes; steps++) {
        int own = key[at];
        if (own == wanted) {
            found = at;
            break;
        }
        at = (wanted < own ? left : right)[at];
    }
    y[i] = found;
}
// contract: key = max(4*left.max + 4, 4*right.max + 4, 4)@4
