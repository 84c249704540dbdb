/**
 * Byte permutes for exchanging a register bit with a lane bit, when several values share a 32-bit register.
 *
 * With 8- or 16-bit values the lowest `nPack` register bits pick a byte or half of a packed register. A permutation of such low bits
 * costs nothing when it happens inside the `prmt` before or after the shuffle of an exchange, so those bits are taken out of P_reg
 * and put into selectors; and an exchange with a low bit is turned into one with a high bit, which needs a partner:
 *
 *     (l0 r0 r1) = (r2 r1) (l0 r0 r2) (r2 r1)
 *
 * Exchanges that share a low bit do not commute; each then gets one low bit of its own after the shuffle and the order of the list
 * matters. Source: lib/Analysis/Utility.cpp, getTranspositionSelectors.
 */

/** One exchange: register bit with lane bit, and the selectors of the byte permutes around its shuffle. */
export interface TranspositionInfo {
  readonly transposition: readonly [registerBit: number, laneBit: number];
  readonly topPreSel: number;
  readonly botPreSel: number;
  readonly topPostSel: number;
  readonly botPostSel: number;
}

const TOP = 0x3210;
const BOTTOM = 0x7654;

/**
 * The exchanges `mixed` in the order in which to do them. `regImages[b]` is where P_reg sends register bit b; low bits that go into
 * selectors are taken out of it in place.
 */
export function transpositionSelectors(
  mixed: readonly (readonly [number, number])[],
  regImages: number[],
  nPack: number,
): TranspositionInfo[] {
  if (nPack <= 0)
    return mixed.map((transposition) => ({ transposition, topPreSel: TOP, botPreSel: BOTTOM, topPostSel: TOP, botPostSel: BOTTOM }));
  const fusion = new LowBitFusion(regImages, nPack, new Set(mixed.map(([register]) => register)));
  // Those whose first high bit along P_reg is free choose first.
  const free = mixed.filter((pair) => fusion.nextHighIsFree(pair[0]));
  const others = mixed.filter((pair) => !free.includes(pair));
  for (const [register, lane] of [...free, ...others]) fusion.add(register, lane);
  return fusion.finish();
}

/** The state while exchanges are taken on one after the other. */
class LowBitFusion {
  private readonly result: TranspositionInfo[] = [];

  constructor(
    private readonly image: number[],
    private readonly nPack: number,
    /** Register bits that take part in an exchange. */
    private readonly paired: Set<number>,
  ) {}

  /** Is the first high bit on the way from `bit` along P_reg itself, or in no other exchange? */
  nextHighIsFree(bit: number): boolean {
    let current = bit;
    do {
      if (current >= this.nPack) return current === bit || !this.paired.has(current);
      current = this.image[current]!;
    } while (current !== bit);
    return false;
  }

  add(rBit: number, lBit: number): void {
    const cycle = this.cycleOf(rBit);
    const isBoundary = (bit: number): boolean => bit >= this.nPack || (this.paired.has(bit) && bit !== rBit);
    const backwards = [...cycle].reverse();
    const forwardEnd = cycle.findIndex(isBoundary);
    const backwardEnd = backwards.findIndex(isBoundary);
    let post = forwardEnd < 0 ? cycle : cycle.slice(0, forwardEnd);
    let pre = backwardEnd < 0 ? backwards : backwards.slice(0, backwardEnd);
    let head: number;
    let tail: number;
    let partner = -1;

    if (forwardEnd >= 0) {
      const stop = cycle[forwardEnd]!;
      if (stop === rBit || !this.paired.has(stop)) {
        // The walk ends at this exchange's own bit or at a high bit of no exchange, e.g. (l0 r0 r2): that bit takes part.
        head = partner = stop;
      } else {
        // It ends at a bit of another exchange, e.g. (l0 r0 r1 l1 r2): make room with the first low bit.
        head = post[0]!;
        pre = [...pre, head];
        post = post.slice(0, 1);
        this.paired.delete(head);
      }
      tail = backwards[backwardEnd]!;
      if (tail < this.nPack && this.paired.has(tail)) pre = [tail, ...pre];
    } else {
      const after = this.image[rBit]!;
      if (after !== rBit && this.paired.has(after)) {
        // Two exchanges in one cycle of low bits, (l0 r0 l1 r1).
        pre = pre.slice(1);
        post = post.slice(0, -1);
        this.paired.delete(post[0]!);
        head = rBit;
        tail = after;
      } else {
        // Low bits only, one exchange, e.g. (l0 r0 r1).
        if (post.length === 2) post = post.slice(0, 1);
        head = tail = pre[0]!;
      }
    }

    if (partner < 0) {
      const found = this.findPartner(head);
      partner = found.partner;
      if (found.preShuffle !== undefined) pre = [...pre, found.preShuffle];
    }
    const [topPostSel, botPostSel] = this.selectors(head, tail, [...post].reverse());
    const [topPreSel, botPreSel] = this.selectors(head, tail, pre);
    this.image[tail] = head;

    const info = { transposition: [partner, lBit] as const, topPreSel, botPreSel, topPostSel, botPostSel };
    const last = pre[pre.length - 1];
    // The exchange whose bit after the shuffle is this one's last bit before it must come later.
    const selector = last !== undefined && this.nPack - last === 2 ? 0x6240 : 0x5410;
    const at = last === undefined ? -1 : this.result.findIndex((other) => other.topPostSel === selector);
    this.result.splice(at < 0 ? this.result.length : at, 0, info);
  }

  finish(): TranspositionInfo[] {
    const last = this.result[this.result.length - 1];
    // A swap of the two low bits that is left in P_reg fits into the last exchange.
    if (this.nPack === 2 && this.image[0] === 1 && this.image[1] === 0 && last !== undefined)
      this.result[this.result.length - 1] = { ...last, topPostSel: 0x3120, botPostSel: 0x7564 };
    return this.result;
  }

  private cycleOf(bit: number): number[] {
    const cycle: number[] = [];
    let current = bit;
    do {
      cycle.push(current);
      current = this.image[current]!;
    } while (current !== bit);
    return cycle;
  }

  /** A high bit of no exchange to stand in for a low one; best the one that P_reg sends the other low bit to, which then joins `pre`. */
  private findPartner(lowBit: number): { readonly partner: number; readonly preShuffle?: number } {
    if (this.nPack === 2) {
      const other = 1 - lowBit;
      const high = this.image[other]!;
      const isolated = this.image[lowBit] === lowBit;
      if (isolated && high >= this.nPack && !this.paired.has(high) && !this.paired.has(other)) {
        this.image[this.image.indexOf(other)] = high;
        this.paired.add(high);
        return { partner: high, preShuffle: other };
      }
    }
    let partner = this.nPack;
    while (this.paired.has(partner)) partner++;
    this.paired.add(partner);
    return { partner };
  }

  private selectors(head: number, tail: number, lowBits: readonly number[]): [top: number, bottom: number] {
    let top = TOP;
    let bottom = BOTTOM;
    for (const bit of lowBits) {
      top = this.permuteSelector(top, bit);
      bottom = this.permuteSelector(bottom, bit);
      if (bit !== head && bit !== tail) this.image[bit] = bit;
    }
    return [top, bottom];
  }

  /** Swaps, in every digit of a selector, the bit that picks the register with the bit that picks the byte or half. */
  private permuteSelector(selector: number, bit: number): number {
    const low = bit + (2 - this.nPack);
    const high = 0x4444;
    const lowMask = (0x1111 << low) & 0xffff;
    const shift = 2 - low;
    return ((selector & ~high & ~lowMask) | ((high & selector) >> shift) | ((lowMask & selector) << shift)) & 0xffff;
  }
}
