const side = 256
const largest = 170_000

/** A square picture small enough for a profile, as a data url; null for what is no picture. Drawn anew, so that no place or camera stays in it. */
export async function smallPicture(file: Blob): Promise<string | null> {
  try {
    const bitmap = await createImageBitmap(file)
    const edge = Math.min(bitmap.width, bitmap.height)
    const canvas = document.createElement('canvas')
    canvas.width = side
    canvas.height = side
    canvas.getContext('2d')?.drawImage(bitmap, (bitmap.width - edge) / 2, (bitmap.height - edge) / 2, edge, edge, 0, 0, side, side)
    bitmap.close()
    const candidates = [0.9, 0.7, 0.5].map(quality => canvas.toDataURL('image/webp', quality))
    return candidates.find(url => url.length <= largest) ?? null
  } catch {
    return null
  }
}
