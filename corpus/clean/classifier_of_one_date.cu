// Boosted stumps of one date, the same for all points: every lane reads the same stump.
// launch: --grid 2 --block 32 --arg points=64 --arg dates=50 --arg date=7 --arg rounds=40 --buffer threshold=4*dates*rounds --buffer weight=4*dates*rounds --buffer x=4*points --buffer score=4*points
// params: points,dates,date,rounds,threshold,weight,x,score
// expect-none
extern "C" __global__ void classifier_of_one_date(unsigned points, unsigned dates, unsigned date, unsigned rounds, const float* threshold, const float* weight, const float* x, float* score)
{
    unsigned point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= points || date >= dates)
        return;
    float sum = 0.0f, at = x[point];
    for (unsigned k = 0; k < rounds; k++) {
        float limit = threshold[date * rounds + k];
        float gain = weight[date * rounds + k];
        sum += at > limit ? gain : -gain;
    }
    score[point] = sum;
}
