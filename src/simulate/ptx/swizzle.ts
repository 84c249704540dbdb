/**
 * Swizzles of shared memory: pieces of 16 bytes change places with their neighbours, by where their row of 128 bytes lies. It
 * is a function of the address alone: bits 4.. are exclusive-ored with as many bits from 7 up.
 */

/** The address to which a swizzle of 32, 64 or 128 bytes moves the byte at `at`; 0 is no swizzle. */
export const swizzled = (at: number, swizzle: number): number => at ^ ((at >> 3) & (swizzle === 0 ? 0 : swizzle - 16));
