import { call, callback, object, port } from '@deputy/contract/shape'
import { compileCall } from './call.ts'
import { compile } from './compile.ts'

/** Member path of the call every link may serve beside its tree; no contract member can have it. */
export const FORK = '@fork'
/** One more link with the same identity: its port, and the function that ends it. */
export const forkCall = compileCall(call([], object({ port, end: callback([]) })), compile)
