/** A table that is asked with names from inputs: `constructor`, `toString` and what else every object of JavaScript has are no rows of it. */
export const byName = <T>(rows: Readonly<Record<string, T>>): Readonly<Record<string, T>> => Object.assign(Object.create(null), rows);
