import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

// What would be published is fit for it: built, linted as packed, and with nothing in it that does not belong there.

interface Manifest {
  readonly private?: boolean
  readonly sideEffects?: unknown
  readonly type?: string
}

execFileSync(process.execPath, ['--conditions=source', 'tools/build.ts'], { stdio: 'inherit' })
let faults = 0
const fault = (text: string) => {
  faults++
  console.log(text)
}
const folders = globSync('*/package.json')
  .map(path => dirname(path))
  .toSorted()
for (const folder of folders) {
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest
  if (manifest.private) continue
  if (manifest.type !== 'module') fault(`${folder}: is not an ES module package`)
  if (manifest.sideEffects === undefined) fault(`${folder}: does not say whether it has sideEffects`)
  if (!existsSync(`${folder}/README.md`)) fault(`${folder}: has no README.md`)
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true, pack: 'npm' })
  for (const message of messages) fault(`${folder}: ${formatMessage(message, pkg) ?? message.code}`)
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', `./${folder}`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as unknown
  const [{ files, size }] = (Array.isArray(packed) ? packed : Object.values(packed as object)) as [{ files: { path: string }[]; size: number }]
  for (const { path } of files) if (/\.test(-d|-support)?\.|\.deputy\/|\.tsbuildinfo$/.test(path)) fault(`${folder}: would publish ${path}`)
  console.log(`${folder}: ${files.length} files, ${(size / 1000).toFixed(0)} kB`)
}
process.exitCode = faults > 0 ? 1 : 0
