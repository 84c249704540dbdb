/** The candidate with the smallest edit distance to `word`, if one is near enough to be what was meant. Capitals are as small letters. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  // A word that keeps none of its letters is another word.
  let bestDistance = Math.min(Math.max(2, Math.floor(word.length / 3)) + 1, word.length);
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance, given up (returning `limit`) once it cannot be below `limit`. */
export function editDistance(a: string, b: string, limit = Infinity): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    if (Math.min(...next) >= limit) return limit;
    row = next;
  }
  return row[b.length]!;
}

/** `; did you mean 'a' or 'b'?`: the candidates nearest to a word, three at most; empty where none is near. */
export function nearestText(word: string, candidates: Iterable<string>, shown: (candidate: string) => string = String): string {
  const all = [...new Set(candidates)];
  const best = nearest(word, all);
  if (best === undefined) return "";
  const distanceOf = (candidate: string): number => editDistance(word.toLowerCase(), candidate.toLowerCase());
  const distance = distanceOf(best);
  const meant = all.filter((candidate) => distanceOf(candidate) === distance).slice(0, 3);
  const quoted = meant.map((candidate) => `'${shown(candidate)}'`);
  return `; did you mean ${quoted.length < 2 ? quoted[0] : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`}?`;
}
