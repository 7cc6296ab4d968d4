// Boosted stumps of each path's own date: the lanes of a warp read stumps that lie a date apart.
// launch: --grid 2 --block 32 --arg points=64 --arg dates=50 --arg rounds=40 --buffer threshold=4*dates*rounds --buffer weight=4*dates*rounds --buffer x=4*points --buffer score=4*points
// params: points,dates,rounds,threshold,weight,x,score
extern "C" __global__ void classifier_of_own_date(unsigned points, unsigned dates, unsigned rounds, const float* threshold, const float* weight, const float* x, float* score)
{
    unsigned point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= points)
        return;
    unsigned date = point % dates;
    float sum = 0.0f, at = x[point];
    for (unsigned k = 0; k < rounds; k++) {
        float limit = threshold[date * rounds + k];  // expect: uncoalesced-access
        float gain = weight[date * rounds + k];  // expect: uncoalesced-access
        sum += at > limit ? gain : -gain;
    }
    score[point] = sum;
}
