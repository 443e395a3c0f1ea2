import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** What no tracked file may say: it would name one machine, or one mirror of a registry. */
const foreign: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a path of one machine', /(?<![\w.])\/(?:work|root|home\/[a-z]+|Users\/[A-Za-z]+)\/[\w.-]+/],
  ['a registry’s host', /\bregistry\.(?:npmjs\.org|yarnpkg\.com|npmmirror\.com)\b|"resolved": "https?:/],
  ['a secret', /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----|\b(?:ghp|npm)_[A-Za-z0-9]{36}\b/],
]

/** What a text says that it may not, with the line. */
export function foreignWords(text: string): string[] {
  return text.split('\n').flatMap((line, index) => foreign.flatMap(([what, pattern]) => (pattern.test(line) ? [`${index + 1}: ${what}`] : [])))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const own = ['tools/own-words.ts', 'tools/own-words.test.ts']
  const paths = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
    .split('\0')
    .filter(path => path !== '' && !own.includes(path))
  const texts = paths.filter(path => statSync(path, { throwIfNoEntry: false })?.isFile() && !/\.(png|jpe?g|webp|avif|mp4|webm|bin|woff2)$/.test(path))
  const found = texts.flatMap(path => foreignWords(readFileSync(path, 'utf8')).map(what => `${path}:${what}`))
  for (const line of found) console.log(line)
  console.log(`${texts.length} files read, ${found.length} lines to change`)
  process.exitCode = found.length > 0 || texts.length === 0 ? 1 : 0
}
