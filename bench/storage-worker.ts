/** The raw work beside which `storage.ts` measures, in a worker of the broker's origin: sealing, opening, uploading, downloading. */
export interface RawOrder {
  readonly mebibytes: number
  readonly api: string
  readonly token: string
  readonly id: string
  readonly url: string
  /** Sealed bytes of each part. */
  readonly parts: readonly number[]
}

/** Milliseconds of each. */
export interface RawTimes {
  readonly seal: number
  readonly open: number
  readonly upload: number
}

const mebibyte = 2 ** 20
const lanes = 4

const timed = async (work: () => Promise<void>): Promise<number> => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
const random = (length: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(length, at + 65_536)))
  return bytes
}

async function measure({ mebibytes, api, token, id, parts }: RawOrder): Promise<RawTimes> {
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
  const record = random(mebibyte)
  const rules = { name: 'AES-GCM', iv: new Uint8Array(12), additionalData: new Uint8Array(64) }
  const sealed = await crypto.subtle.encrypt(rules, key, record)
  const seal = await timed(async () => {
    for (let done = 0; done < mebibytes; done += 1) await crypto.subtle.encrypt(rules, key, record)
  })
  const open = await timed(async () => {
    for (let done = 0; done < mebibytes; done += 1) await crypto.subtle.decrypt(rules, key, sealed)
  })
  const bytes = random(Math.max(...parts))
  const upload = await timed(async () => {
    let next = 0
    const lane = async (): Promise<void> => {
      for (let part = next++; part < parts.length; part = next++) {
        const body = bytes.subarray(0, parts[part])
        const answer = await fetch(`${api}/v1/objects/${id}/parts/${part}`, { method: 'PUT', body, headers: { authorization: `Bearer ${token}` } })
        if (!answer.ok) throw new Error(`the part was answered ${answer.status}`)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  })
  return { seal, open, upload }
}

/** Milliseconds to read all of the url. */
async function download(url: string): Promise<number> {
  return timed(async () => {
    const { body } = await fetch(url, { cache: 'no-store' })
    const reader = body?.getReader()
    while (reader !== undefined && !(await reader.read()).done);
  })
}

globalThis.addEventListener('message', ({ data }: MessageEvent<RawOrder | { readonly url: string }>) => {
  void ('api' in data ? measure(data) : download(data.url)).then(answer => globalThis.postMessage(answer))
})
