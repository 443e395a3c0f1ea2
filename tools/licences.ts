import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** Licences a dependency may have. */
const permissive = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'MIT-0', 'Python-2.0', 'Unlicense']

/** Dependencies of the build alone that nothing we publish contains. */
const excepted: Readonly<Record<string, string>> = { 'axe-core': 'MPL-2.0', lightningcss: 'MPL-2.0' }

/** One entry of a lock file's `packages`. */
export interface Licensed {
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}

/** Whether an SPDX expression leaves a way to take the package under permissive terms only. */
export function isPermissive(expression: string): boolean {
  const terms = expression.replaceAll(/[()]/g, '')
  return terms.split(' OR ').some(way => way.split(' AND ').every(licence => permissive.includes(licence.trim())))
}

/** The packages of a lock file whose licence does not fit, one message each. */
export function unfit(packages: Readonly<Record<string, Licensed>>, licenceOf: (path: string) => string | undefined): string[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    if (!path.includes('node_modules/') || entry.link) return []
    const licence = entry.license ?? licenceOf(path)
    // A binary of another platform: not here to be read, and of the same package as the one that is.
    if (licence === undefined || isPermissive(licence)) return []
    const [base] = Object.keys(excepted).filter(known => name === known || name.startsWith(`${known}-`))
    return entry.dev && base && excepted[base] === licence ? [] : [`${name}: ${licence}`]
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Licensed> }
  const licenceOf = (path: string) => {
    try {
      return (JSON.parse(readFileSync(`${path}/package.json`, 'utf8')) as Licensed).license ?? 'none stated'
    } catch {
      return undefined
    }
  }
  const found = unfit(packages, licenceOf)
  for (const line of found) console.log(line)
  console.log(`${Object.keys(packages).length} packages in the lock file, ${found.length} with a licence that does not fit`)
  process.exitCode = found.length > 0 ? 1 : 0
}
