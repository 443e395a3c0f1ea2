// A child process of the benches: a link (see tests/support/link.ts). Arguments: host, port, milliseconds one way, bytes per second.
// Says its port, then the bytes that came back so far whenever it is asked.
import { openLink } from '../tests/support/link.ts'

const [host = '', ...numbers] = process.argv.slice(2)
const [port = 0, delay = 0, rate = 0] = numbers.map(Number)
const link = await openLink({ host, port, delay, rate })
process.send?.({ port: link.port })
process.on('message', () => process.send?.({ passed: link.passed }))
process.on('disconnect', () => process.exit(0))
