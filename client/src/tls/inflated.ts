/** The bytes of a deflated text in base64: how binary data travels inside a module, so that every bundler carries it. */
export async function inflated(base64: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer()
}
