import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { aliases } from './broker.ts'
import { descriptions } from './descriptions.ts'
import { operations } from './operations.ts'
import { markdown, statedOperations, tables, type Table } from './tables.ts'

const spec = readFileSync(new URL('../SPEC.md', import.meta.url), 'utf8')

/** The tables of a markdown text as row lines, each led by its header so that equal rows of different tables stay apart. */
function rowsOf(text: string): string[] {
  const rows: string[] = []
  let header = ''
  let previous = ''
  for (const raw of text.split('\n')) {
    const line = raw.replace(/ +/g, ' ').trim()
    if (line.startsWith('|')) {
      if (/^\|( -+ \|)+$/.test(line)) header = previous
      else if (header !== '') rows.push(`${header} ${line}`)
    } else header = ''
    previous = line
  }
  return rows
}

const every: readonly Table[] = Object.values<readonly Table[]>(tables).flat()
const expected = every.flatMap(table => rowsOf(markdown(table)))

test('every row of the specification is a value of the contract', () => {
  const known = new Set(expected)
  const found = rowsOf(spec)
  assert.ok(found.length > 400, `only ${found.length} rows were read`)
  assert.deepEqual(
    found.filter(row => !known.has(row)),
    [],
  )
})

test('every value of the contract is a row of the specification, once', () => {
  assert.deepEqual(rowsOf(spec).toSorted(), expected.toSorted())
})

test('a changed row is noticed', () => {
  const known = new Set(expected)
  const changed = rowsOf(spec.replace('storage: no object at this url', 'storage: no object here'))
  assert.equal(changed.filter(row => !known.has(row)).length, 1)
})

test('the tables hold every operation, the flat members as pairs', () => {
  const stated = new Set(statedOperations.map(operation => operation.path))
  const listed = new Set(every.filter(table => table.header[0] === 'Operation').flatMap(table => table.rows.map(row => (row[0] ?? '').replaceAll('`', ''))))
  assert.deepEqual([...listed].toSorted(), [...stated].toSorted())
  const all = operations().map(operation => operation.path)
  assert.deepEqual(all.filter(path => !stated.has(path)).toSorted(), Object.keys(aliases).toSorted())
})

test('every operation is described, with a name for each argument', () => {
  const wrong = statedOperations.filter(({ path, call }) => descriptions[path]?.length !== call.args.length + 1).map(({ path }) => path)
  assert.deepEqual(wrong, [])
  const known = new Set(statedOperations.map(({ path }) => path))
  assert.deepEqual(
    Object.keys(descriptions).filter(path => !known.has(path)),
    [],
  )
  for (const [path, description] of Object.entries(descriptions)) assert.match(description.at(-1) ?? '', /^[A-Z].*\.$/, path)
})

test('each rule has one number, counted without a gap in its series', () => {
  const numbers = [...spec.matchAll(/^\*\*([A-Z]+-E?)(\d+)\*\* (.*)$/gm)]
  assert.equal(numbers.length, spec.split('\n').filter(line => line.startsWith('**')).length)
  const series = Map.groupBy(numbers, ([, name]) => name)
  for (const [name, found] of series) {
    const counted = found.map(([, , number]) => Number(number)).toSorted((a, b) => a - b)
    assert.deepEqual(
      counted,
      counted.map((_, index) => index + 1),
      name,
    )
  }
  assert.ok(numbers.every(([, , , rule]) => rule !== undefined && rule.length > 20))
})
