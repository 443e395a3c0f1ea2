import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fetched } from './fetch.ts'
import { sameAppCheck } from './same-app.ts'

const [left, right] = ['https://one.example', 'https://two.example']
const [one, two] = [`web:${left}`, `web:${right}`]

/** A check over what sites say, and what was asked of them. */
function checkOver(sites: Record<string, Fetched>) {
  const asked: string[] = []
  const clock = { at: 0, now: () => clock.at }
  const sameApp = sameAppCheck({
    clock,
    fetchSite: async url => {
      asked.push(url.href)
      return sites[url.origin] ?? 'none'
    },
  })
  return { sameApp, asked, clock, sites }
}
const says = (app: string, ...origins: string[]): Fetched => ({ value: { app, origins } })

test('an app is itself, without asking', async () => {
  const { sameApp, asked } = checkOver({})
  assert.deepEqual([await sameApp(one, one), asked], ['same', []])
  assert.equal(await sameApp('registry:a', 'registry:b'), 'different')
  assert.equal(await sameApp(one, 'registry:b'), 'different')
})

test('two origins are one app when each lists the other under one id', async () => {
  assert.equal(await checkOver({ [left]: says('team', left, right), [right]: says('team', left) }).sameApp(one, two), 'same')
  const cases: readonly (readonly [Fetched, Fetched])[] = [
    [says('team', right), says('other', left)],
    [says('team', right), says('team')],
    [says('team'), says('team', left)],
    [says('team', right), 'none'],
    ['none', says('team', left)],
    [{ value: { app: 'team' } }, says('team', left)],
    [{ value: 'team' }, says('team', left)],
    ['none', 'unreachable'],
    [says('team'), 'unreachable'],
  ]
  for (const [ofLeft, ofRight] of cases) assert.equal(await checkOver({ [left]: ofLeft, [right]: ofRight }).sameApp(one, two), 'different')
})

test('while a site that could confirm it cannot be reached it cannot be told', async () => {
  for (const sites of [
    { [left]: says('team', right), [right]: 'unreachable' },
    { [left]: 'unreachable', [right]: says('team', left) },
    { [left]: 'unreachable', [right]: 'unreachable' },
  ] as const)
    assert.equal(await checkOver(sites).sameApp(one, two), 'unknown')
})

test('what a site says is kept for an hour; one that could not be reached is asked again after 10 s', async () => {
  const { sameApp, asked, clock, sites } = checkOver({ [left]: says('team', right), [right]: 'unreachable' })
  assert.equal(await sameApp(one, two), 'unknown')
  assert.deepEqual(asked, [`${left}/.well-known/deputy.json`, `${right}/.well-known/deputy.json`])
  sites[right] = says('team', left)
  clock.at = 9999
  assert.deepEqual([await sameApp(one, two), asked.length], ['unknown', 2])
  clock.at = 10_000
  assert.deepEqual([await sameApp(one, two), asked.length], ['same', 3])
  sites[left] = 'none'
  clock.at = 3_599_999
  assert.deepEqual([await sameApp(two, one), asked.length], ['same', 3])
  clock.at = 3_600_000
  assert.equal(await sameApp(one, two), 'different')
})
