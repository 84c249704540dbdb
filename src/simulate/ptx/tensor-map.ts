/**
 * Tensor maps: 128 bytes that say how a tensor lies in global memory and which box of it a copy takes. Their form is the
 * hardware's own secret; here each field is at one of these places, so that `tensormap.replace`, copies of the bytes and
 * maps that the host made agree. Dimension 0 is the innermost.
 */

export const TENSOR_MAP_BYTES = 128;

/** `tensormap.replace.tile.FIELD`: its offset, its bytes, and how many there are. */
export const TENSOR_MAP_FIELDS = {
  global_address: { at: 0, bytes: 8, count: 1 },
  global_stride: { at: 8, bytes: 8, count: 4 },
  global_dim: { at: 40, bytes: 4, count: 5 },
  box_dim: { at: 60, bytes: 4, count: 5 },
  element_stride: { at: 80, bytes: 4, count: 5 },
  rank: { at: 100, bytes: 4, count: 1 },
  elemtype: { at: 104, bytes: 4, count: 1 },
  interleave_layout: { at: 108, bytes: 4, count: 1 },
  swizzle_mode: { at: 112, bytes: 4, count: 1 },
  swizzle_atomicity: { at: 116, bytes: 4, count: 1 },
  fill_mode: { at: 120, bytes: 4, count: 1 },
} as const;
export type TensorMapField = keyof typeof TENSOR_MAP_FIELDS;

/** As `elemtype` numbers them. `packed`: sixteen elements in eight or twelve bytes, which take sixteen in shared memory. */
const ELEMENTS: readonly { readonly type: string; readonly bytes: number; readonly packed?: number }[] = [
  { type: "u8", bytes: 1 },
  { type: "u16", bytes: 2 },
  { type: "u32", bytes: 4 },
  { type: "s32", bytes: 4 },
  { type: "u64", bytes: 8 },
  { type: "s64", bytes: 8 },
  { type: "f16", bytes: 2 },
  { type: "f32", bytes: 4 },
  { type: "f32", bytes: 4 },
  { type: "f64", bytes: 8 },
  { type: "bf16", bytes: 2 },
  { type: "f32", bytes: 4 },
  { type: "f32", bytes: 4 },
  { type: "b4", bytes: 0.5 },
  { type: "b4", bytes: 1, packed: 8 },
  { type: "b6", bytes: 1, packed: 12 },
];

export interface TensorMap {
  readonly base: number;
  /** In elements. */
  readonly dims: readonly number[];
  readonly box: readonly number[];
  /** In bytes, of dimension 1 and up. */
  readonly strides: readonly number[];
  readonly element: (typeof ELEMENTS)[number];
  /** 0, 32, 64 or 128 bytes. */
  readonly swizzle: number;
  /** Out of bounds is NaN. */
  readonly nan: boolean;
}

/** The map in these bytes, or what is wrong with it. */
export function readTensorMap(view: DataView): TensorMap | string {
  const word = (field: TensorMapField, i = 0) => view.getUint32(TENSOR_MAP_FIELDS[field].at + 4 * i, true);
  const long = (field: TensorMapField, i = 0) => Number(view.getBigUint64(TENSOR_MAP_FIELDS[field].at + 8 * i, true));
  const rank = word("rank") + 1;
  const element = ELEMENTS[word("elemtype")];
  const swizzle = [0, 32, 64, 128][word("swizzle_mode")];
  if (rank > 5) return `its rank is ${rank}`;
  if (element === undefined) return `its element type is ${word("elemtype")}`;
  if (swizzle === undefined || word("swizzle_atomicity") !== 0) return `its swizzle mode is ${word("swizzle_mode")}, which is not modelled`;
  if (word("interleave_layout") !== 0) return "interleaved layouts are not modelled";
  const list = (field: TensorMapField) => Array.from({ length: rank }, (_, i) => word(field, i));
  const [dims, box] = [list("global_dim"), list("box_dim")];
  const strides = Array.from({ length: rank - 1 }, (_, i) => long("global_stride", i));
  const base = long("global_address");
  if (box.some((n) => n < 1 || n > 256)) return `its box is ${box.join(" x ")}: each extent is 1 to 256`;
  if (list("element_stride").some((n) => n !== 1)) return "strides of elements other than 1 are not modelled";
  const boxBytes = box[0]! * element.bytes;
  if (boxBytes % 16 !== 0) return `the rows of its box have ${boxBytes} bytes, which is no multiple of 16`;
  if (swizzle > 0 && boxBytes > swizzle) return `the rows of its box have ${boxBytes} bytes, more than its swizzle of ${swizzle}`;
  if (base % 16 !== 0 || strides.some((s) => s % 16 !== 0)) return "its address or a stride is no multiple of 16 bytes";
  return { base, dims, box, strides, element, swizzle, nan: word("fill_mode") === 1 };
}

/** How `elemtype` numbers elements of that name; integers and others by their size. */
export const elementTypeNumber = (name: string, bytes: number): number =>
  ({ f16: 6, f32: 7, f64: 9, bf16: 10 })[name] ?? { 1: 0, 2: 1, 4: 2, 8: 4 }[bytes] ?? 0;
export const PADDED_FP4 = 14;

/** The host's description of a tensor and of the boxes that kernels access; the innermost dimension is last. */
export interface HostTensorMap {
  readonly shape: readonly number[];
  /** In elements. */
  readonly strides: readonly number[];
  readonly box: readonly number[];
  /** As `elemtype` numbers it. */
  readonly elementType: number;
  readonly elementBytes: number;
  /** As `swizzle_mode` numbers it. */
  readonly swizzle: number;
  /** Elements are two to a byte of the tensor, and counted one by one in the map. */
  readonly padded: boolean;
}

/** The bytes of a map of the tensor at address `base`. */
export function writeTensorMap(map: HostTensorMap, base: number): Uint8Array {
  const bytes = new Uint8Array(TENSOR_MAP_BYTES);
  const view = new DataView(bytes.buffer);
  const put = (field: TensorMapField, value: number, i = 0) => {
    const { at, bytes: size } = TENSOR_MAP_FIELDS[field];
    if (size === 8) view.setBigUint64(at + 8 * i, BigInt(value), true);
    else view.setUint32(at + 4 * i, value, true);
  };
  const rank = map.shape.length;
  put("global_address", base);
  put("rank", rank - 1);
  put("elemtype", map.elementType);
  put("swizzle_mode", map.swizzle);
  for (let i = 0; i < rank; i++) {
    put("global_dim", map.shape[rank - 1 - i]! * (map.padded && i === 0 ? 2 : 1), i);
    put("box_dim", map.box[rank - 1 - i]!, i);
    put("element_stride", 1, i);
    if (i > 0) put("global_stride", map.strides[rank - 1 - i]! * map.elementBytes, i - 1);
  }
  return bytes;
}
