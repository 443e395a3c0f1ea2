/** The middle one of some numbers, the upper of two; NaN of none. */
export const median = (numbers: readonly number[]): number => numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN
