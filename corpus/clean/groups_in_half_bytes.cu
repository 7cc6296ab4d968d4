// Each of 64 groups of a block has elements of half a byte: the number of the group is shifted up and down, which leaves
// 30 bits of it.
// launch: --grid 2 --block 4x64 --arg groups=100 --arg elements=32 --buffer out=groups*elements//2
// params: out,groups,elements
// expect-none
extern "C" __global__ void groups_in_half_bytes(char* out, int groups, int elements)
{
    const int group = (int)(blockIdx.x * 256 / 4) + threadIdx.y, first = threadIdx.x * 8;
    const int at = (group * elements + first) / 2;
    if (first < elements && group < groups)
        *(int*)(out + at) = group;
}
// contract: requires elements % 8 == 0
// contract: out = (elements*groups)//2@4
