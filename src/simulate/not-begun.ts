/** Text on a program that waits while others, which may store the value that it waits for, have not begun. */
export const notBegun = (count: number): string =>
  count === 0
    ? ""
    : `; ${count} program${count === 1 ? " has" : "s have"} not begun: they run one after the other, in the order of --program where it is given`;
