/**
 * Marks a longest run of entries whose values ascend; negative entries are none. With `match[i]` the old place of the entry
 * that is now at place i, these are the entries that did not move. O(n log n), linear when mostly in order.
 */
export function longestIncreasing(match: Int32Array): Uint8Array {
  const tails = new Int32Array(match.length);
  const previous = new Int32Array(match.length).fill(-1);
  let length = 0;
  for (let r = 0; r < match.length; r++) {
    const m = match[r]!;
    if (m < 0) continue;
    let lo = 0;
    let hi = length;
    // Mostly in order: the next one is at the end.
    if (length > 0 && match[tails[length - 1]!]! < m) lo = length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (match[tails[mid]!]! < m) lo = mid + 1;
      else hi = mid;
    }
    previous[r] = lo > 0 ? tails[lo - 1]! : -1;
    tails[lo] = r;
    if (lo === length) length++;
  }
  const stays = new Uint8Array(match.length);
  for (let r = length > 0 ? tails[length - 1]! : -1; r >= 0; r = previous[r]!) stays[r] = 1;
  return stays;
}
