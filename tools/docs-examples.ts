import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A block of code in a page: where it stands, its language, whether it says `run`, and its text with what it takes as given. */
export interface Example {
  readonly line: number
  readonly extension: 'ts' | 'tsx' | 'js' | 'jsx'
  readonly run: boolean
  readonly code: string
}

const extensions: Readonly<Record<string, Example['extension']>> = { ts: 'ts', typescript: 'ts', tsx: 'tsx', js: 'js', javascript: 'js', jsx: 'jsx' }

/**
 * The TypeScript and JavaScript blocks of a page. What a block takes as given stands in a comment right before it, `<!-- given: declare const file: File -->`.
 * Throws for a fence that does not end, and for words after the language other than `run`.
 */
export function examplesOf(page: string): Example[] {
  const lines = page.split('\n')
  const found: Example[] = []
  let given = ''
  for (let at = 0; at < lines.length; at++) {
    const comment = /^\s*<!--\s*given:/.test(lines[at] ?? '')
    if (comment) {
      const end = lines.findIndex((line, index) => index >= at && line.includes('-->'))
      given = lines
        .slice(at, end + 1)
        .join('\n')
        .replace(/^\s*<!--\s*given:\s*/, '')
        .replace(/\s*-->\s*$/, '')
      at = end
      continue
    }
    const [, indent, ticks, info] = /^(\s*)(`{3,}|~{3,})(.*)$/.exec(lines[at] ?? '') ?? []
    if (ticks === undefined || indent === undefined) {
      if (lines[at]?.trim()) given = ''
      continue
    }
    const end = lines.findIndex((line, index) => index > at && line.trim() === ticks)
    if (end < 0) throw new Error(`line ${at + 1}: this fence does not end`)
    const [language = '', ...words] = (info ?? '').trim().split(/\s+/)
    const extension = extensions[language]
    if (extension) {
      const strange = words.find(word => word !== 'run')
      if (strange) throw new Error(`line ${at + 1}: \`${strange}\` means nothing here; every example is checked`)
      const body = lines.slice(at + 1, end).map(line => line.slice(indent.length))
      found.push({
        line: at + 1,
        extension,
        run: words.includes('run'),
        code: [given, ...body, 'export {}', ''].filter((text, index) => index > 0 || text).join('\n'),
      })
    }
    given = ''
    at = end
  }
  return found
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = '.cache/docs-examples'
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const pages = globSync(['*.md', '*/*.md', 'docs/**/*.md', 'examples/*/*.md'], { exclude: ['node_modules/**', '.changeset/**'] })
  const examples = [...new Set(pages)].toSorted().flatMap(page =>
    examplesOf(readFileSync(page, 'utf8')).map(example => ({
      ...example,
      page,
      name: `${page.replace(/\.md$/, '').replaceAll('/', '-')}-line-${example.line}.${example.extension}`,
    })),
  )
  for (const { name, code } of examples) writeFileSync(join(folder, name), code)
  const compilerOptions = { allowJs: true, checkJs: true, noUnusedLocals: false, noUnusedParameters: false, moduleDetection: 'force' }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions,
      include: ['*', '../../broker/src/**/*.d.ts', '../../client/src/**/*.d.ts', '../../server/src/**/*.d.ts'],
      exclude: [],
    }),
  )
  const checked = spawnSync('tsc', ['-p', folder], { encoding: 'utf8' })
  console.log(checked.stdout.trim())
  let failed = checked.status !== 0
  for (const { name, page, line } of examples.filter(({ run }) => run)) {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=source', join(folder, name)], { encoding: 'utf8', timeout: 60_000 })
    if (status === 0) continue
    failed = true
    console.log(`${page}:${line} fails when run:\n${stdout}${stderr}`)
  }
  console.log(`${examples.length} examples in ${pages.length} pages checked, ${examples.filter(({ run }) => run).length} of them run`)
  process.exitCode = failed || examples.length === 0 ? 1 : 0
}
