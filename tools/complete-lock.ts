import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** One entry of a lock file's `packages`. */
export interface LockEntry {
  readonly version?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

/**
 * A lock made where a registry mirror lacks the binaries of other platforms leaves them out, and `npm ci` then refuses the lock everywhere. Answers the missing
 * entries: the exact version its parent asks for, with the platform its name says, so that they are skipped where they do not fit.
 */
export function missingPlatforms(packages: Readonly<Record<string, LockEntry>>): Record<string, LockEntry> {
  const missing: Record<string, LockEntry> = {}
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const nested = `${path}/node_modules/${name}`
      const shared = `node_modules/${name}`
      const fits = (at: string) => (packages[at] ?? missing[at])?.version === version
      if (!/^\d+\.\d+\.\d+/.test(version) || fits(nested) || fits(shared)) continue
      const words = name.split(/[/-]/)
      const os = systems.filter(system => words.includes(system))
      const cpu = processors.filter(processor => words.includes(processor))
      if (os.length === 0 && cpu.length === 0) continue
      missing[(packages[shared] ?? missing[shared]) ? nested : shared] = { version, ...(entry.dev ? { dev: true } : {}), optional: true, os, cpu }
    }
  }
  return missing
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockEntry> }
  const missing = missingPlatforms(lock.packages)
  const { '': root, ...others } = lock.packages
  const sorted = Object.entries({ ...others, ...missing }).toSorted(([a], [b]) => (a < b ? -1 : 1))
  lock.packages = { ...(root ? { '': root } : {}), ...Object.fromEntries(sorted) }
  writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`${Object.keys(missing).length} entries added`)
}
