import { fs } from '@deputy/contract/fs'
import { further } from '../further.ts'
import { type CloudCalls, cloudCalls } from './cloud-calls.ts'

const tree = further({ cloud: { fs } })

/** `cloud.fs` of this page's broker. */
export const ownCalls: CloudCalls = /* @__PURE__ */ cloudCalls(async () => (await tree()).cloud?.fs)
