import { netConnect } from './net-connect-suite.ts'
import { netEnd } from './net-end-suite.ts'
import { netFlow } from './net-flow-suite.ts'
import { netServer } from './net-server-suite.ts'
import { netValues } from './net-values-suite.ts'
import type { NetUnderTest } from './net-under-test.ts'

/** The suite of `net`: the same expectations of Node's module and of ours. */
export function netSuite(under: () => NetUnderTest, name: string): void {
  for (const part of [netConnect, netEnd, netFlow, netServer, netValues]) part(under, name)
}
