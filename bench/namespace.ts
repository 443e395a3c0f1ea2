import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const INSIDE = 'DEPUTY_BENCH_NAMESPACE'

/**
 * The buffers of a plain Debian kernel, in bytes: least, first and greatest. They belong to the namespace. `net.core.rmem_max` and its like belong to the machine
 * and cannot be set here; they bound only sockets whose program asks for a size, which Node's TCP sockets never do.
 */
const buffers: Readonly<Record<string, string>> = { tcp_rmem: '4096 131072 6291456', tcp_wmem: '4096 16384 4194304' }

/** The words before a command that runs it in a network namespace of its own; without root by way of a user namespace. */
export const unshared = (): readonly string[] => ['unshare', process.getuid?.() === 0 ? '-n' : '-Urn', '--']

/** Runs a command to its end. @throws with what it said when it failed. */
export function command(words: readonly string[]): string {
  const [program = '', ...rest] = words
  const { status, stdout, stderr, error } = spawnSync(program, rest, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${words.join(' ')}: ${(error?.message ?? stderr).trim()}`)
  return stdout
}

/**
 * Starts the running script again, with its own arguments, in a private network namespace with loopback up and stock buffers, and ends with its status; answers
 * true inside. Where namespaces are not allowed it says so, answers false and lets the script go on in the machine's own.
 */
export function enterNamespace(): boolean {
  if (process.env[INSIDE] !== undefined) {
    command(['ip', 'link', 'set', 'lo', 'up'])
    for (const [name, sizes] of Object.entries(buffers)) writeFileSync(`/proc/sys/net/ipv4/${name}`, sizes)
    return true
  }
  try {
    command([...unshared(), 'ip', 'link', 'set', 'lo', 'up'])
  } catch (error) {
    console.warn(`no private network namespace here, the machine's own and its buffers are used (${error instanceof Error ? error.message : String(error)})`)
    return false
  }
  const [program = '', ...words] = unshared()
  const { status } = spawnSync(program, [...words, process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  })
  process.exit(status ?? 1)
}
