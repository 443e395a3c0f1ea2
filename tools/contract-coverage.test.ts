import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coverage, namedRules, statedRules } from './contract-coverage.ts'

test('a rule is stated where its id begins a bold run', () => {
  assert.deepEqual(statedRules('**ACC-1** Asked, as **not** in ACC-9.\n- **OBJ-E2 bad cursor** …'), ['ACC-1', 'OBJ-E2'])
})

test('only titles name rules, in any quotes', () => {
  const source = `// ACC-9\ntest('ACC-1, ACC-2: it\\'s so', () => {})\ndescribe("OBJ-E1", () => {})\ntest(\`FS-3 \${world}\`, () => {})\nconst other = 'ACC-8'`
  assert.deepEqual(namedRules(source), ['ACC-1', 'ACC-2', 'OBJ-E1', 'FS-3'])
})

test('an unnamed rule in scope is missing, a named one no rule has is unknown', () => {
  assert.deepEqual(coverage(['ACC-1', 'ACC-2', 'FS-1', 'SHL-1', 'SHL-2'], ['ACC-1', 'ACC-7', 'RFC-1'], ['ACC', 'SHL-1']), {
    wanted: ['ACC-1', 'ACC-2', 'SHL-1'],
    missing: ['ACC-2', 'SHL-1'],
    unknown: ['ACC-7'],
  })
})
