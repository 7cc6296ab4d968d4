// A machine walks through a table of states: each state that it reads is a row of the table.
// launch: --grid 2 --block 32 --arg n=1..60 --arg length=1..8 --buffer text=n*length --buffer next=2048 --values next=0..3:u16 --buffer y=4*n
// params: text,next,y,n,length
extern "C" __global__ void states_of_a_table(
    const unsigned char* text, const unsigned short* next, int* y, int n, int length)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned state = 0;
    for (int i = 0; i < length; i++)
        state = next[state * 256 + text[t * length + i]];  // expect: uncoalesced-access
    y[t] = state;
}
// contract: next = max(512*next.max + 2*text.max + 2, 2*text.max + 2)@2
