import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** Reads rows; sees every write that was answered. */
export type Reader = Pick<Kysely<Schema>, 'selectFrom' | 'with' | 'fn'>
/** Reads and changes rows within the transaction of one procedure. */
export type Writer = Pick<Kysely<Schema>, 'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom' | 'with' | 'fn' | 'executeQuery'>

/**
 * A named change of rows: all of it happens or, when it throws, none. Its input and output are structured-clone data; refusals
 * are answered as data. It awaits nothing but the writer.
 */
export type Procedure<Input = never, Output = unknown> = (tx: Writer, input: Input) => Promise<Output>
/** Procedures by name. */
export type Procedures = Readonly<Record<string, Procedure>>
/** What a procedure is handed. */
export type InputOf<P> = P extends (tx: Writer, input: infer I) => unknown ? I : never
/** What a procedure answers. */
export type OutputOf<P> = P extends (tx: Writer, input: never) => Promise<infer O> ? O : never

/** The database. */
export interface Rows<P = Record<string, Procedure<never>>> {
  readonly read: Reader
  /** Runs a procedure; what it changed is durable once this resolves. */
  write<N extends keyof P & string>(name: N, input: InputOf<P[N]>): Promise<OutputOf<P[N]>>
  /** Writes a whole, consistent copy to a file, while in use. */
  backup(file: string): Promise<void>
  /** Faults found by a full check; empty when sound. */
  check(): Promise<readonly string[]>
  /** Finishes what is in flight and releases the folder. */
  close(): Promise<void>
}
