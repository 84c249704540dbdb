/** `%tid`, `%ctaid`, `%laneid` and their like, which a warp has from its start on. */
import type { Warp } from "./warp.js";

/** The value of a special register for a lane; 0 for registers that have no meaning here. */
export function specialRegister(name: string, warp: Warp, lane: number, numWarps: number): number {
  const { grid, block, rank, cluster } = warp.cta;
  const { asLanes } = warp;
  const id = asLanes?.programs[lane] ?? warp.cta.id;
  const own = asLanes?.lane ?? lane;
  const thread = warp.indexInCta * 32 + own;
  const numCtas = cluster.length;
  const axis = name.endsWith(".y") ? 1 : name.endsWith(".z") ? 2 : 0;
  switch (name.replace(/\.[xyz]$/, "")) {
    case "%tid":
      return [thread % block[0], Math.floor(thread / block[0]) % block[1], Math.floor(thread / (block[0] * block[1]))][axis]!;
    case "%ntid":
      return block[axis]!;
    case "%ctaid":
      return axis === 0 ? id[0] * numCtas + rank : id[axis]!;
    case "%nctaid":
      return axis === 0 ? grid[0] * numCtas : grid[axis]!;
    case "%clusterid":
      return id[axis]!;
    case "%nclusterid":
      return grid[axis]!;
    case "%cluster_ctaid":
      return axis === 0 ? rank : 0;
    case "%cluster_nctaid":
      return axis === 0 ? numCtas : 1;
    case "%cluster_ctarank":
      return rank;
    case "%cluster_nctarank":
      return numCtas;
    case "%nsmid":
      return 1;
    case "%laneid":
      return own;
    case "%warpid":
      return warp.indexInCta;
    case "%nwarpid":
      return numWarps;
    case "%lanemask_eq":
      return 1 << own;
    case "%lanemask_lt":
      return (1 << own) - 1;
    case "%lanemask_le":
      return (2 << own) - 1;
    case "%lanemask_gt":
      return ~((2 << own) - 1);
    case "%lanemask_ge":
      return ~((1 << own) - 1);
    case "%dynamic_smem_size":
    case "%total_smem_size":
      return warp.cta.shared.bytes;
    case "WARP_SZ":
      return 32;
    default:
      return 0;
  }
}
