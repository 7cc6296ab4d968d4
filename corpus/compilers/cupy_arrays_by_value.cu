// Arrays and an indexer as structures by value, as CuPy passes them: the pointers are inside.
// launch: --grid 1 --block 32 --arg indexer.0=0..1024 --arg indexer.16=32
// launch: --arg x.32=128 --arg x.40=4 --arg y.32=128 --arg y.40=4 --buffer x.0=4096 --buffer y.0=4096
// params: x,y,indexer
// expect-none
template <class T, int dimensions> struct Array {
    T* data;
    ptrdiff_t size, shape[dimensions], strides[dimensions];
    __device__ T& at(const ptrdiff_t* index) const
    {
        char* address = reinterpret_cast<char*>(data);
        for (int d = 0; d < dimensions; d++)
            address += strides[d] * index[d];
        return *reinterpret_cast<T*>(address);
    }
};
template <int dimensions> struct Indexer {
    ptrdiff_t size, shape[dimensions];
    __device__ void place(ptrdiff_t i, ptrdiff_t* index) const
    {
        for (int d = dimensions - 1; d > 0; d--) {
            index[d] = i % shape[d];
            i /= shape[d];
        }
        index[0] = i;
    }
};
extern "C" __global__ void cupy_arrays_by_value(const __grid_constant__ Array<float, 2> x,
                                                const __grid_constant__ Array<float, 2> y,
                                                const __grid_constant__ Indexer<2> indexer)
{
    ptrdiff_t step = static_cast<ptrdiff_t>(blockDim.x) * gridDim.x;
    for (ptrdiff_t i = static_cast<ptrdiff_t>(blockIdx.x) * blockDim.x + threadIdx.x;
         i < indexer.size; i += step) {
        ptrdiff_t index[2];
        indexer.place(i, index);
        y.at(index) = 2.0f * x.at(index);
    }
}
