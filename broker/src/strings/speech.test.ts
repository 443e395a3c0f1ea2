import assert from 'node:assert/strict'
import { test } from 'node:test'
import { permissions } from '@deputy/contract/permissions'
import { formatsOf } from './formats.ts'
import { catalogues, chooseLanguage, speechOf, type Language } from './speech.ts'

test('the first language there is, by its base, else English', () => {
  assert.equal(chooseLanguage(['fr-CH', 'de-AT', 'en']), 'de')
  assert.equal(chooseLanguage(['ja']), 'en')
  assert.equal(chooseLanguage([]), 'en')
})

/** Every text of a catalogue by its path; functions are called with stand-ins. */
function texts(value: unknown, path: string, language: Language): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function')
    return [[path, String((value as (...args: unknown[]) => unknown)(...standIns(path, language, /^\(?formats\b/.test(String(value)))))]]
  return Object.entries(value as object).flatMap(([key, inner]) => texts(inner, `${path}.${key}`, language))
}
const standIns = (path: string, language: Language, takesFormats: boolean): unknown[] => {
  const { formats } = speechOf(language)
  if (takesFormats) return [formats, 2, 3000, 4000]
  if (/moreHosts|expand|rooms\.(messages|members)$/.test(path)) return [2, formats]
  if (/usageObjects|appHolds|rooms\.claimed$/.test(path)) return [2, 3000, formats]
  if (path.endsWith('summary')) return ['app.example', 2, formats]
  return ['NAME', 'HOST']
}

test('every text of every language says something, and keeps what is put into it', () => {
  for (const language of Object.keys(catalogues) as Language[]) {
    const all = texts(catalogues[language], language, language)
    assert.ok(all.length > 200)
    for (const [path, text] of all) assert.match(text, /\S/, path)
    for (const [path, text] of all) assert.doesNotMatch(text, /undefined|NaN|\[object/, path)
  }
})

test('no German text is the English one left over, apart from words the languages share', () => {
  const english = new Map(texts(catalogues.en, '', 'en'))
  const shared = new Set(['Deputy', 'Name', 'NAME', 'Passkey', 'Passphrase', 'Passkeys', 'Premium', 'Code', 'NAME, HOST'])
  const same = texts(catalogues.de, '', 'de').filter(([path, text]) => english.get(path) === text && !shared.has(text))
  assert.deepEqual(same, [])
})

test('every permission of the registry has its words', () => {
  for (const { scope } of permissions.descriptors) assert.ok(Object.hasOwn(catalogues.en.consent.permissions, scope), scope)
})

test('sizes, counts and times are written as the language does', () => {
  const now = Date.UTC(2026, 0, 10)
  const en = formatsOf('en', () => now)
  const de = formatsOf('de', () => now)
  assert.equal(en.bytes(1536), '1.5 kB')
  assert.equal(de.bytes(1536), '1,5 kB')
  assert.deepEqual([0, 1, 249].map(en.bytes), ['0 bytes', '1 byte', '249 bytes'])
  assert.equal(en.size(500_000_000), '500 MB')
  assert.equal(de.size(1500), '1,5 kB')
  assert.equal(en.count(1, { one: '# file', other: '# files' }), '1 file')
  assert.equal(de.count(1200, { one: '# Datei', other: '# Dateien' }), '1.200 Dateien')
  assert.equal(en.ago(now - 3 * 86_400_000), '3 days ago')
  assert.equal(de.ago(now - 86_400_000), 'gestern')
  assert.equal(en.ago(now - 10), 'now')
})
