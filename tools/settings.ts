/** Writes docs/settings.md from the configuration schema of the server; with `--check` writes nothing and fails when it is stale. */
import { readFile, writeFile } from 'node:fs/promises'
import { configTable, readConfig } from '@deputy/server'

const file = new URL('../docs/settings.md', import.meta.url)

const head = `# Settings

Every setting is an environment variable, or a member of the JSON file that \`DEPUTY_CONFIG\` names: \`DEPUTY_LIMITS_READ\` is \`{ "limits": { "read": … } }\` there. A variable wins over the file. A secret may be put in a file whose path the variable with \`_FILE\` at its end holds. All faults are told at once, and what is not known
is one. \`deputy config\` prints the effective values.

Lengths of time are written \`250ms\`, \`90s\`, \`15m\`, \`24h\` or \`30d\`, sizes \`512KiB\`, \`8MiB\` or \`5GiB\`, lists with commas between.
`

const lines = configTable(readConfig())
const groups = [...new Set(lines.map(line => line.key.split('.')[0] ?? ''))]
const sections = groups.map(group => {
  const own = lines.filter(line => line.key.startsWith(`${group}.`))
  const items = own.map(({ variable, kind, fallback, about }) => `- \`${variable}\` (${kind}${fallback === '' ? '' : `, \`${fallback}\``}): ${about}.`)
  return `## ${group}\n\n${items.join('\n')}\n`
})
const text = `${head}\n${sections.join('\n')}`

if (process.argv.includes('--check')) {
  const there = await readFile(file, 'utf8').catch(() => '')
  if (there === text) console.log(`docs/settings.md: ${lines.length} settings`)
  else {
    console.error('docs/settings.md is stale. Run node --conditions=source tools/settings.ts')
    process.exitCode = 1
  }
} else {
  await writeFile(file, text)
  console.log(`docs/settings.md: ${lines.length} settings`)
}
