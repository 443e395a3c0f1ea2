import { globSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** The rules whose service is built: an id's area, or a single id. */
const inScope = ['ACC', 'CON', 'OBJ', 'CNS', 'OVL', 'ROOM', 'CLAIM', 'FS', 'SHL-1', 'VER']

/** The ids of the rules a contract text states: each stands in bold where its rule begins. */
export function statedRules(text: string): string[] {
  return [...text.matchAll(/\*\*([A-Z]{2,5}-E?\d+)\b/g)].map(([, id = '']) => id)
}

/** The ids that titles of tests in a source name. */
export function namedRules(source: string): string[] {
  const titles = [...source.matchAll(/\b(?:test|it|describe|suite)(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)].map(([, , title = '']) => title)
  return titles.flatMap(title => title.match(/\b[A-Z]{2,5}-E?\d+\b/g) ?? [])
}

/** The rules in scope that no test names, and the ids tests name that no rule has. */
export function coverage(stated: readonly string[], named: readonly string[], scope: readonly string[]) {
  const wanted = stated.filter(id => scope.some(part => id === part || id.replace(/-.*/, '') === part))
  const areas = new Set(stated.map(id => id.replace(/-.*/, '')))
  return {
    wanted,
    missing: wanted.filter(id => !named.includes(id)),
    unknown: named.filter(id => areas.has(id.replace(/-.*/, '')) && !stated.includes(id)),
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const stated = statedRules(readFileSync('contract/SPEC.md', 'utf8'))
  const files = globSync(['*/src/**/*.test.{ts,tsx}', 'tests/**/*.ts'])
  // The contract's own tests name every rule as data; they show that the text is complete, not that it is kept.
  const named = files.filter(path => path !== 'contract/src/spec.test.ts').flatMap(path => namedRules(readFileSync(path, 'utf8')))
  const { wanted, missing, unknown } = coverage(stated, named, inScope)
  for (const id of missing) console.log(`${id}: no test names this rule`)
  for (const id of new Set(unknown)) console.log(`${id}: named by a test, stated by no rule`)
  console.log(`${wanted.length - missing.length} of the ${wanted.length} rules in scope are named by a test in ${files.length} files`)
  process.exitCode = wanted.length === 0 || missing.length > 0 || unknown.length > 0 ? 1 : 0
}
