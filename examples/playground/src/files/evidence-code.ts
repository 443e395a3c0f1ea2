/** What the server keeps of an object, fetched as anybody can: sealed bytes. */
export async function evidence(url: string) {
  const response = await fetch(url, { headers: { Range: 'bytes=0-95' } })
  const [, length = '0'] = /\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '') ?? []
  return { sealedLength: Number(length), firstBytes: new Uint8Array(await response.arrayBuffer()) }
}
