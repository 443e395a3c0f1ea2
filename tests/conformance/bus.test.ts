import { localBus } from '@deputy/server'
import { busSuite } from './bus.ts'

busSuite('in one process', async () => {
  const failed: unknown[] = []
  const bus = localBus(error => failed.push(error))
  return { one: bus, other: bus, failed, close: () => bus.close() }
})
