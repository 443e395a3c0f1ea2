import assert from 'node:assert/strict'
import test from 'node:test'
import { objectIdIn } from './object-url.ts'

const cdn = 'http://cdn.localhost:4400'
const id = '6f1b1c50-9d6e-4c1a-8a53-0123456789ab'

test('OBJ-7, OBJ-E6: only <cdn>/<uuid> to the letter names an object', () => {
  assert.equal(objectIdIn(`${cdn}/${id}`, cdn), id)
  const others = [
    undefined,
    null,
    7,
    '',
    id,
    cdn,
    `${cdn}/`,
    `${cdn}/${id}/`,
    `${cdn}/${id}?x`,
    `${cdn}/${id}#x`,
    `${cdn}//${id}`,
    `${cdn}/../${id}`,
    `${cdn}/${id.toUpperCase()}`,
    `${cdn}/${id.replace('-4', '-5')}`,
    `${cdn}0/${id}`,
    `${cdn}@evil.example/${id}`,
    `http://evil.example/${id}`,
    `http://user@cdn.localhost:4400/${id}`,
  ]
  for (const url of others) assert.equal(objectIdIn(url, cdn), null, String(url))
})
