"""Flawed kernels for the corpus: kernels of this package with one switch turned, and their twins.

A flaw replaces one piece of a kernel's text by another, and labels the lines that ptxlint must
report with ``// expect: rule``. What no rule sees as yet is said in ``// todo:``. The twin is the
kernel as it is, in the corpus folder `kernels`, where nothing may be found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from pricing_kernels import european, normal, portfolio
from pricing_kernels.contract import KernelLaunch, Number, Scalar
from pricing_kernels.estimators import frequencies
from pricing_kernels.exercise import lsmc
from pricing_kernels.exercise.pso.kernels import fitness_kernel, tiled_kernel
from pricing_kernels.exercise.quantization import nearest_kernel
from pricing_kernels.gbm import Market
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.payoffs import simulation
from pricing_kernels.rng import lcg32, lcg_mersenne, lfg, mrg32k3a, mt607, xorwow
from pricing_kernels.stencil import tiles


@dataclass(frozen=True)
class Flaw:
    """One switch: `right` stands once in the text of `twin`, and becomes `wrong`.

    Every line that holds `at` is labelled with `rule`. `allows` are parameters of which the
    contract of the flawed kernel allows more."""

    name: str
    shows: str
    twin: EmittedKernel
    values: Mapping[str, Number]
    right: str
    wrong: str
    at: str = ""
    rule: str = ""
    allows: Mapping[str, Scalar] = field(default_factory=dict)

    @property
    def launch(self) -> KernelLaunch:
        """The launch that the labels are about."""
        params = {**self.twin.contract.params, **self.allows}
        contract = replace(self.twin.contract, kernel=self.name, params=params)
        return contract.launch(**self.values)

    def cuda(self) -> str:
        """The flawed kernel, its launch and its labels. Raises ValueError."""
        kernel = replace(self.twin, contract=self.launch.contract)
        text = kernel.cuda(lines=False).partition("\n")[2]
        if text.count(self.right) != 1:
            raise ValueError(
                f"{self.name}: the piece to replace is there {text.count(self.right)}x"
            )
        head = (
            f"// {self.shows}",
            f"// twin: {self.twin.name}.cu, emitted with it by pricing_kernels",
            *self.launch.declared().comments().splitlines(),
            *([] if self.rule else ["// expect-none"]),
        )
        lines = text.replace(self.right, self.wrong).split("\n")
        return "\n".join((*head, *map(self._labelled, lines)))

    def _labelled(self, line: str) -> str:
        return f"{line}  // expect: {self.rule}" if self.rule and self.at in line else line


_OPTION = european.European(Market(100.0, 0.03, 0.3), 100.0, 1.0, call=False, paths=500, steps=1)

_CONTINUING: Final = {f"c{i}{j}": 1.0 for i, j in lsmc.powers(2, lsmc.DEGREE)}

FLAWS: Final = (
    Flaw(
        "state_by_stream",
        "The words of a stream lie together: the threads of a warp read six words apart.",
        xorwow.GENERATOR.kernels[1],
        {"streams": 256, "count": 3},
        "return words[(size_t)word * streams + stream];",
        "return words[(size_t)stream * 6 + word];",
        " state[",
        "uncoalesced-access",
    ),
    Flaw(
        "numbers_by_stream",
        "The numbers of a stream lie together: each thread of a warp writes a line of its own.",
        lcg32.GENERATOR.kernels[1],
        {"streams": 256, "count": 32},
        """\
    size_t end = (size_t)count * streams;
    for (size_t at = stream; at < end; at += streams)
        numbers[at] = G::generate(local);
""",
        """\
    for (unsigned i = 0; i < count; i++)
        numbers[(size_t)stream * count + i] = G::generate(local);
""",
        "numbers[",
        "uncoalesced-access",
    ),
    Flaw(
        "streams_unguarded",
        "The threads of the last block are more than the streams that are left.",
        lcg32.GENERATOR.kernels[0],
        {"streams": 200, "seed": 1},
        """\
    if (stream >= streams)
        return;
""",
        "",
        "state[0] = ",
        "out-of-bounds",
    ),
    Flaw(
        "ring_one_round_too_many",
        "The loop that fills a ring runs to its end included: past the state of the last stream.",
        lfg.GENERATOR.kernels[0],
        {"streams": 64, "seed": 1},
        "    for (unsigned i = 0; i < K; i += 4) {\n",
        "    for (unsigned i = 0; i <= RING; i += 4) {\n",
        "state[i + ",
        "out-of-bounds",
    ),
    Flaw(
        "column_one_word_too_long",
        "A thread copies one word more than its column of shared memory has.",
        mt607.GENERATORS[1].kernels[1],
        {"streams": 128, "count": 4},
        """\
    for (unsigned word = 0; word < MT::N; word++)
        ring[word] = state[word];
""",
        """\
    for (unsigned word = 0; word <= MT::N; word++)
        ring[word] = state[word];
""",
        "ring[word] = state[word];",
        "out-of-bounds",
    ),
    Flaw(
        "pair_two_words_apart",
        "The words that a warp exchanges lie two apart: two lanes share a bank.",
        normal.SHARED.kernel(xorwow.GENERATOR),
        {"streams": 128, "count": 4},
        """\
    __shared__ float swap[BLOCK];
    swap[threadIdx.x] = mine;
    __syncwarp();
    float other = swap[threadIdx.x ^ 1];
""",
        """\
    __shared__ float swap[BLOCK * 2];
    swap[2 * threadIdx.x] = mine;
    __syncwarp();
    float other = swap[2 * (threadIdx.x ^ 1)];
""",
        " swap[2 * ",
        "shared-bank-conflict",
    ),
    Flaw(
        "pair_without_barrier",
        "Lanes exchange through shared memory without waiting (thesis, algorithm 3).",
        normal.SHARED.kernel(xorwow.GENERATOR),
        {"streams": 128, "count": 4},
        """\
    __syncwarp();
    float other = swap[threadIdx.x ^ 1];
    __syncwarp();
""",
        """\
    float other = swap[threadIdx.x ^ 1];
""",
        at="swap[threadIdx.x",
        rule="data-race",
    ),
    Flaw(
        "sums_without_barrier",
        "A round of the tree reads sums that the round before may not have written.",
        european.kernel(),
        european.launch(_OPTION).values,
        """\
                square[slot] += square[slot + half];
            }
            __syncthreads();
""",
        """\
                square[slot] += square[slot + half];
            }
""",
        at="[slot + half]",
        rule="data-race",
    ),
    Flaw(
        "pair_in_a_large_array",
        "96 words a thread, of which one is used: few blocks find shared memory.",
        normal.SHARED.kernel(xorwow.GENERATOR),
        {"streams": 128, "count": 4},
        "    __shared__ float swap[BLOCK];\n",
        "    __shared__ float swap[BLOCK * 96];\n",
        at="swap[threadIdx.x] = mine;",
        rule="low-occupancy",
    ),
    Flaw(
        "counts_not_atomic",
        "Streams count in one table by reading, adding and writing: counts are lost.",
        frequencies.kernel(xorwow.GENERATOR),
        {"streams": 128, "count": 8},
        "        atomicAdd(&counts[G::generate(local) >> SHIFT], 1u);\n",
        "        counts[G::generate(local) >> SHIFT]++;\n",
        at=" counts[",
        rule="data-race",
    ),
    Flaw(
        "product_not_reduced",
        "One fold instead of two: a product of 62 bits may be left at 32 bits, above the modulus.",
        lcg_mersenne.GENERATOR.kernels[1],
        {"streams": 64, "count": 16},
        """\
    n = (n & P) + (n >> 31);
    return (n & P) + (n >> 31);
""",
        """\
    return (n & P) + (n >> 31);  // todo: numbers of 0 .. P - 1 is no part of a contract
""",
    ),
    Flaw(
        "table_by_lane",
        "Each lane reads its own element of a table in constant memory, one after the other.",
        mrg32k3a.GENERATOR.kernels[0],
        {"streams": 128, "seed": 1},
        "            apply<C1>(JUMPS_X + 9 * bit, local.x);\n",
        "            apply<C1>(JUMPS_X + 9 * (state.stream % STREAM_BITS), local.x);\n",
        at="sum += fold<c>",
        rule="serialized-constant",
    ),
    Flaw(
        "angle_in_double",
        "A constant of type double in a kernel of floats: products and conversions in double.",
        normal.SINGLE.kernel(xorwow.GENERATOR),
        {"streams": 128, "count": 4},
        "static_cast<int>(word) * 0x1.921fb6p-30f;  // 2 pi / 2^32",
        "static_cast<int>(word) * 0x1.921fb6p-30;",
        at="static_cast<int>(word) * 0x1.921fb6p-30;",
        rule="accidental-double",
    ),
    Flaw(
        "jacobi_barrier_inside",
        "Threads beyond the grid pass the first barrier of a row and wait at the second.",
        tiles.TILES["walk"].kernel,
        {"rows": 40, "columns": 200},
        """\
        __syncthreads();
        if (inside)
            *to =""",
        """\
        if (inside)
            __syncthreads();
        if (inside)
            *to =""",
        at="__syncthreads();",
        rule="divergent-barrier",
    ),
    Flaw(
        "jacobi_unguarded",
        "The threads below the last row of the grid load, too.",
        tiles.TILES["paper"].kernel,
        {"rows": 20, "columns": 70},
        "    if (column < columns + 2 && line < rows + 2)\n",
        "    if (column < columns + 2)\n",
        at="tile[y][x] = before[at];",
        rule="out-of-bounds",
    ),
    Flaw(
        "portfolio_of_structures",
        "Spot, strike and years of an option lie together: a warp reads one word of three.",
        portfolio.kernel("soa", "all"),
        {"count": 1000, "rate": 0.03, "volatility": 0.3},
        "    return records[number * count + element];\n",
        "    return records[3 * element + number];\n",
        at="return records[",
        rule="uncoalesced-access",
    ),
    Flaw(
        "tree_with_a_stack",
        "A search by tree keeps what is left to do on a stack: each lane at a height of its own.",
        nearest_kernel("tree", 2, 128),
        {"states": 64},
        """\
    while (node != 0) {
        unsigned next = node / 2, k = node - 1;
        if (k < POINTS) {
            if (from < node) {
                float distance = P::distance(point, k, state);
                if (distance < least || distance == least && k < found) {
                    found = k;
                    least = distance;
                }
            }
            unsigned axis = (31 - __clz(node)) % FACTORS;
            float beyond = (axis ? state[FACTORS - 1] : state[0]) - point[axis * BLOCK + k];
            unsigned side = 2 * node + (beyond > 0.0f);
            if (from < node)
                next = side;
            else if (from == side && beyond * beyond <= least)
                next = side ^ 1;
        }
        from = node;
        node = next;
""",
        """\
    unsigned left[16];  // todo: at what heights the lanes are depends on data
    float apart[16];
    while (node != 0) {
        unsigned next = node / 2, k = node - 1;
        if (k < POINTS) {
            float distance = P::distance(point, k, state);
            if (distance < least || distance == least && k < found) {
                found = k;
                least = distance;
            }
            unsigned axis = (31 - __clz(node)) % FACTORS;
            float beyond = (axis ? state[FACTORS - 1] : state[0]) - point[axis * BLOCK + k];
            next = 2 * node + (beyond > 0.0f);
            left[from % 16] = next ^ 1;
            apart[from % 16] = beyond * beyond;
            from++;
        } else {
            for (next = 0; from > 0 && next == 0;) {
                from--;
                next = apart[from % 16] <= least ? left[from % 16] : 0;
            }
        }
        node = next;
""",
    ),
    Flaw(
        "thresholds_by_particle",
        "The thresholds of a particle lie together: the threads of a warp read a row each.",
        fitness_kernel("forward", forward=True),
        {"particles": 64, "paths": 8, "rows": 16},
        "return thresholds[row * particles + particle];",
        "return thresholds[particle * rows + row];",
        "thresholds[particle",
        "uncoalesced-access",
    ),
    Flaw(
        "four_paths_of_any_number",
        "Groups of four paths, of a number that is no multiple of four.",
        fitness_kernel("vector", group=4),
        {"particles": 32, "paths": 150, "rows": 1},
        "            Gains gain = *reinterpret_cast<const Gains*>(gains + row * paths + path);\n",
        "            Gains gain = *reinterpret_cast<const Gains*>(gains + row * paths + path);\n",
        at="reinterpret_cast<const Gains*>",
        rule="out-of-bounds",
        allows={"paths": Scalar(np.uint32, 1, 2**20)},
    ),
    Flaw(
        "column_of_sums",
        "The last reads run down a column of a table whose rows are whole rounds of the banks.",
        lsmc.moments_kernel(),
        {"paths": 500, "stride": 500, "strike": 100.0, "discount": 1.0},
        "    __shared__ double part[TERMS][SEGMENT + 1];  // the last reads run down a column\n",
        "    __shared__ double part[TERMS][SEGMENT];\n",
        at="= part[k][0];",
        rule="shared-bank-conflict",
    ),
    Flaw(
        "second_price_beside",
        "The second price of a path is looked for beside the first one: the last paths have none.",
        lsmc.decide_kernel(),
        {"paths": 256, "stride": 256, "strike": 100.0, "discount": 1.0, **_CONTINUING},
        "other = features[path + (FEATURES - 1) * stride];",
        "other = features[path + 1];",
        at="features[path + 1];",
        rule="out-of-bounds",
    ),
    Flaw(
        "paths_until_they_stop",
        "Each lane simulates until its own path stops: a warp waits for its longest path.",
        simulation.scenarios(1, simulation.hooks(1)),
        {"starts": 2, "width": 4, "paths": 256, "rows": 12, "stream": 0, "seed": 1},
        "        Z::row(state, table, rows, row, normals.z);\n",
        """\
        Z::row(state, table, rows, row, normals.z);
        if (normals.z[0] > 1.0f)
            break;  // todo: a trip count that depends on data is not analysed
""",
    ),
    Flaw(
        "break_at_exercise",
        "Lanes leave the loop over dates at the exercise; their warp waits for the last one.",
        fitness_kernel("lockstep"),
        {"paths": 64, "particles": 64, "rows": 16},
        "FORWARD = 0u };",
        "FORWARD = 1u };  // todo: a trip count that depends on loaded values is not analysed",
    ),
    Flaw(
        "tile_by_particle",
        "A tile of 256 columns, read down a column: 32 lanes use one bank.",
        tiled_kernel(),
        {"paths": 64, "particles": 64, "rows": 16},
        """\
    __shared__ float tile[MAX_ROWS][WARP];  // the thresholds of a warp of particles
    unsigned lane = threadIdx.x, particle = blockIdx.x * WARP + lane;
#pragma unroll
    for (unsigned k = 0; k < MAX_ROWS; k += WARPS) {
        unsigned row = k + threadIdx.y;
        tile[row][lane] = row < rows ? thresholds[row * particles + particle] : 0.0f;
    }
    __syncthreads();
    auto threshold = [&](unsigned row) { return tile[row][lane]; };
""",
        """\
    __shared__ float tile[WARP][MAX_ROWS];  // the thresholds of a warp of particles
    unsigned lane = threadIdx.x, particle = blockIdx.x * WARP + lane;
#pragma unroll
    for (unsigned k = 0; k < MAX_ROWS; k += WARPS) {
        unsigned row = k + threadIdx.y;
        tile[lane][row] = row < rows ? thresholds[row * particles + particle] : 0.0f;
    }
    __syncthreads();
    auto threshold = [&](unsigned row) { return tile[lane][row]; };
""",
        at=" tile[lane][row]",
        rule="shared-bank-conflict",
    ),
    Flaw(
        "tile_without_barrier",
        "Warps read thresholds that another warp may not have put into the tile yet.",
        tiled_kernel(),
        {"paths": 64, "particles": 64, "rows": 16},
        """\
    __syncthreads();
    auto threshold =""",
        """\
    auto threshold =""",
        at="return tile[row][lane];",
        rule="data-race",
    ),
)
