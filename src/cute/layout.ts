/**
 * Layouts and their algebra: a layout `S:D` maps the coordinates of shape S to the sum of coordinate times stride.
 *
 *   (_4,_8):(_8,_1)          4x8 row-major: (1,2) -> 10
 *   coalesce                 same function, fewest modes          (_2,(_1,_6)):(_1,(_6,_2)) -> _12:_1
 *   composition(A, B)        the layout i -> A(B(i))
 *   complement(A, n)         fills what A leaves out up to n      _4:_2, _24 -> (_2,_3):(_1,_8)
 *   rightInverse(A)          A(R(i)) = i;  leftInverse(A): L(A(i)) = i
 *
 * Source: cute/layout.hpp.
 */

export * from "./composition.js";
export * from "./inverse.js";
export * from "./layout-modes.js";
export * from "./tiling.js";
