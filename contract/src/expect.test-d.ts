/** Whether two types are the very same. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** Whether a value of the first can stand where the second is asked for. */
export type Fits<A, B> = [A] extends [B] ? true : false
/** A list of claims, each of which must be true for the file to compile. */
export type Claims<T extends readonly true[]> = T
/** A claim that must be false. */
export type Not<T extends boolean> = T extends true ? false : true
