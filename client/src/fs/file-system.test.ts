import assert from 'node:assert/strict'
import * as node from 'node:fs/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { cloudCalls } from './cloud-calls.ts'
import { cloudVolumes } from './cloud-volume.ts'
import { fileSystem } from './file-system.ts'
import { memoryRecords } from './memory-records.test-support.ts'
import { recordsVolume } from './records-volume.ts'
import { fsCases, type FsUnderTest, transcripts } from '../../../tests/support/fs-cases.ts'
import { modelCloud, modelNews } from './model-cloud.test-support.ts'

let expected: Record<string, unknown>
before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-fs-'))
  after(() => rm(folder, { recursive: true }))
  expected = await transcripts(node, folder)
})

const modules: Readonly<Record<string, () => FsUnderTest>> = {
  'records in memory': () => {
    const options = { records: memoryRecords(), space: 'files', news: modelNews(), now: () => Date.now(), unique: () => crypto.randomUUID() }
    const volume = recordsVolume({ ...options, owes: false })
    return fileSystem(() => volume) as unknown as FsUnderTest
  },
  'records that owe the cloud': () => {
    const options = { records: memoryRecords(), space: 'files', news: modelNews(), now: () => Date.now(), unique: () => crypto.randomUUID() }
    const volume = recordsVolume({ ...options, owes: true })
    return fileSystem(() => volume) as unknown as FsUnderTest
  },
  'the cloud': () => {
    const cloud = modelCloud()
    const device = cloud.device('ada')
    return fileSystem(
      cloudVolumes(
        cloudCalls(async () => device.fs),
        () => modelNews(),
      ),
    ) as unknown as FsUnderTest
  },
  'the cloud of a broker without conditional calls': () => {
    const cloud = modelCloud()
    const device = cloud.device('ada')
    const { accountPin, availability, list, readFile, writeFile, remove } = device.fs
    const old = { accountPin, availability, list, readFile, writeFile, remove }
    return fileSystem(
      cloudVolumes(
        cloudCalls(async () => old),
        () => modelNews(),
      ),
    ) as unknown as FsUnderTest
  },
}

for (const [name, make] of Object.entries(modules)) {
  test(`${name}: the same answers as node:fs/promises`, async () => {
    const said = await transcripts(make())
    for (const title of Object.keys(fsCases)) assert.deepEqual(said[title], expected[title], title)
  })
}
