#!/usr/bin/env node
import { nodeFault } from './node-version.ts'

const fault = nodeFault(process.versions.node)
if (fault !== null) {
  console.error(fault)
  process.exitCode = 1
} else {
  // Only now, since the rest does not even load on an older Node.
  const { run } = await import('./run.ts')
  process.exitCode = await run(process.argv.slice(2), { env: process.env, out: text => console.log(text), err: text => console.error(text) })
}
