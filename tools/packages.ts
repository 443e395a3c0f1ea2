import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

// What would be published is fit for it: built, linted as packed, and with nothing in it that does not belong there.

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly sideEffects?: unknown
  readonly type?: string
}

/** What npm says of a package it packed. */
interface Packed {
  readonly name: string
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

const target = '.cache/packed'

/** Packs the folders' packages in one go. */
function pack(folders: readonly string[]): readonly Packed[] {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const workspaces = folders.flatMap(folder => ['-w', folder])
  const said = execFileSync('npm', ['pack', '--json', '--pack-destination', target, ...workspaces], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  // A list, or in later versions of npm an object by name.
  return Object.values(JSON.parse(said) as Record<string, Packed>)
}

if (spawnSync(process.execPath, ['--conditions=source', 'tools/build.ts'], { stdio: 'inherit' }).status !== 0) process.exit(1)
const faults: string[] = []
const manifests = globSync('*/package.json').map(path => ({ folder: dirname(path), manifest: JSON.parse(readFileSync(path, 'utf8')) as Manifest }))
const published = manifests.filter(({ manifest }) => !manifest.private).toSorted((a, b) => (a.folder < b.folder ? -1 : 1))
const packed = pack(published.map(({ folder }) => folder))

for (const { folder, manifest } of published) {
  const fault = (text: string) => faults.push(`${folder}: ${text}`)
  if (manifest.type !== 'module') fault('is not an ES module package')
  if (manifest.sideEffects === undefined) fault('does not say whether it has sideEffects')
  if (!existsSync(`${folder}/README.md`)) fault('has no README.md')
  const made = packed.find(({ name }) => name === manifest.name)
  if (!made) throw new Error(`npm packed nothing for ${manifest.name}`)
  const tarball = new Uint8Array(readFileSync(join(target, made.filename.replace('@', '').replace('/', '-')))).buffer
  const { messages, pkg } = await publint({ strict: true, pack: { tarball } })
  for (const message of messages) fault(formatMessage(message, pkg) ?? message.code)
  for (const { path } of made.files) if (/\.test(-d|-support)?\.|\.deputy\/|\.tsbuildinfo$/.test(path)) fault(`would publish ${path}`)
  console.log(`${folder}: ${made.files.length} files, ${(made.size / 1000).toFixed(0)} kB`)
}
for (const line of faults) console.log(line)
console.log(`${published.length} packages, ${faults.length} faults`)
process.exitCode = faults.length > 0 || published.length === 0 ? 1 : 0
