/**
 * XXH3, 64 bits, seed 0: upstream orders layouts by the hash of their text.
 * Source: llvm/lib/Support/xxhash.cpp, xxh3_64bits.
 */
const SECRET_HEX =
  "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c" +
  "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364" +
  "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e";
const SECRET = Uint8Array.from(SECRET_HEX.match(/../g)!, (byte) => Number.parseInt(byte, 16));
const MASK = (1n << 64n) - 1n;
const P32 = [0x9e3779b1n, 0x85ebca77n, 0xc2b2ae3dn] as const;
const P64 = [0x9e3779b185ebca87n, 0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n, 0x85ebca77c2b2ae63n, 0x27d4eb2f165667c5n] as const;

type Bytes = Uint8Array;
function read(bytes: Bytes, at: number, count: number): bigint {
  let value = 0n;
  for (let i = count - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i]!);
  return value;
}
const read32 = (bytes: Bytes, at: number): bigint => read(bytes, at, 4);
const read64 = (bytes: Bytes, at: number): bigint => read(bytes, at, 8);

function avalanche(hash: bigint): bigint {
  hash ^= hash >> 37n;
  hash = (hash * 0x165667919e3779f9n) & MASK;
  return hash ^ (hash >> 32n);
}
function avalanche64(hash: bigint): bigint {
  hash ^= hash >> 33n;
  hash = (hash * P64[1]) & MASK;
  hash ^= hash >> 29n;
  hash = (hash * P64[2]) & MASK;
  return hash ^ (hash >> 32n);
}
function foldedProduct(a: bigint, b: bigint): bigint {
  const product = a * b;
  return (product & MASK) ^ (product >> 64n);
}
const mix16 = (input: Bytes, at: number, secret: number): bigint =>
  foldedProduct(read64(input, at) ^ read64(SECRET, secret), read64(input, at + 8) ^ read64(SECRET, secret + 8));
const byteSwap = (value: bigint, bytes: number): bigint => {
  let out = 0n;
  for (let i = 0; i < bytes; i++) out = (out << 8n) | ((value >> BigInt(8 * i)) & 0xffn);
  return out;
};
const rotate = (value: bigint, by: bigint): bigint => ((value << by) | (value >> (64n - by))) & MASK;

function upTo16(input: Bytes): bigint {
  const { length } = input;
  if (length > 8) {
    const low = read64(input, 0) ^ read64(SECRET, 24) ^ read64(SECRET, 32);
    const high = read64(input, length - 8) ^ read64(SECRET, 40) ^ read64(SECRET, 48);
    return avalanche((BigInt(length) + byteSwap(low, 8) + high + foldedProduct(low, high)) & MASK);
  }
  if (length >= 4) {
    const keyed = ((read32(input, length - 4) + (read32(input, 0) << 32n)) & MASK) ^ read64(SECRET, 8) ^ read64(SECRET, 16);
    let hash = keyed ^ rotate(keyed, 49n) ^ rotate(keyed, 24n);
    hash = (hash * 0x9fb21c651e98df25n) & MASK;
    hash ^= (hash >> 35n) + BigInt(length);
    hash = (hash * 0x9fb21c651e98df25n) & MASK;
    return hash ^ (hash >> 28n);
  }
  if (length === 0) return avalanche64(read64(SECRET, 56) ^ read64(SECRET, 64));
  const [first, middle, last] = [input[0]!, input[length >> 1]!, input[length - 1]!].map(BigInt) as [bigint, bigint, bigint];
  const combined = (first << 16n) | (middle << 24n) | last | (BigInt(length) << 8n);
  return avalanche64(combined ^ (read32(SECRET, 0) ^ read32(SECRET, 4)));
}
function upTo240(input: Bytes): bigint {
  const { length } = input;
  let sum = (BigInt(length) * P64[0]) & MASK;
  if (length <= 128) {
    for (let i = (length - 1) >> 5; i >= 0; i--) sum += mix16(input, 16 * i, 32 * i) + mix16(input, length - 16 * (i + 1), 32 * i + 16);
    return avalanche(sum & MASK);
  }
  for (let i = 0; i < 8; i++) sum += mix16(input, 16 * i, 16 * i);
  sum = avalanche(sum & MASK);
  const rounds = length >> 4;
  for (let i = 8; i < rounds; i++) sum += mix16(input, 16 * i, 16 * (i - 8) + 3);
  sum += mix16(input, length - 16, 136 - 17);
  return avalanche(sum & MASK);
}
function long(input: Bytes): bigint {
  const { length } = input;
  const sums: bigint[] = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]];
  const stripe = (at: number, secret: number): void => {
    for (let i = 0; i < 8; i++) {
      const value = read64(input, at + 8 * i);
      const keyed = value ^ read64(SECRET, secret + 8 * i);
      sums[i ^ 1] = (sums[i ^ 1]! + value) & MASK;
      sums[i] = (sums[i]! + (keyed & 0xffffffffn) * (keyed >> 32n)) & MASK;
    }
  };
  const stripesOfBlock = (SECRET.length - 64) / 8;
  const blocks = Math.floor((length - 1) / (64 * stripesOfBlock));
  for (let block = 0; block < blocks; block++) {
    for (let i = 0; i < stripesOfBlock; i++) stripe(64 * (stripesOfBlock * block + i), 8 * i);
    for (let i = 0; i < 8; i++) {
      const sum = sums[i]! ^ (sums[i]! >> 47n) ^ read64(SECRET, SECRET.length - 64 + 8 * i);
      sums[i] = (sum * P32[0]) & MASK;
    }
  }
  const done = 64 * stripesOfBlock * blocks;
  const rest = Math.floor((length - 1 - done) / 64);
  for (let i = 0; i < rest; i++) stripe(done + 64 * i, 8 * i);
  stripe(length - 64, SECRET.length - 64 - 7);
  let hash = (BigInt(length) * P64[0]) & MASK;
  for (let i = 0; i < 4; i++)
    hash += foldedProduct(sums[2 * i]! ^ read64(SECRET, 11 + 16 * i), sums[2 * i + 1]! ^ read64(SECRET, 11 + 16 * i + 8));
  return avalanche(hash & MASK);
}

/** The hash of a text of which each character is one byte. */
export function xxh3(text: string): bigint {
  const input = Uint8Array.from(text, (c) => c.charCodeAt(0));
  return input.length <= 16 ? upTo16(input) : input.length <= 240 ? upTo240(input) : long(input);
}
