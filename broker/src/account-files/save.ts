interface SaveFilePicker {
  showSaveFilePicker?(options: { readonly suggestedName: string }): Promise<{ createWritable(): Promise<WritableStream<Uint8Array<ArrayBuffer>>> }>
}

/** Bytes up to which a download is put together in the browser before it is handed over. */
const gathered = 256 * 2 ** 20
const kept = 60_000

/**
 * Saves what a stream yields as a file of the person's. Large ones go straight to the place the person picks, where the browser can
 * do that; `make` is called once that is known. False when the person picked none.
 */
export async function saveStream(name: string, size: number, type: string, make: () => ReadableStream<Uint8Array<ArrayBuffer>>): Promise<boolean> {
  const { showSaveFilePicker: pick } = globalThis as SaveFilePicker
  if (size > gathered && pick !== undefined) {
    const target = await pick({ suggestedName: name }).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'AbortError') return null
      throw error
    })
    if (target === null) return false
    await make().pipeTo(await target.createWritable())
    return true
  }
  const blob = await new Response(make(), { headers: { 'content-type': type } }).blob()
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), kept)
  return true
}
