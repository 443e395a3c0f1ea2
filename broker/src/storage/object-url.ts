const shape = /^\/([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/

/** The id in the url of a stored object, `<cdn>/<uuid>` to the letter, or null for anything else. */
export function objectIdIn(url: unknown, cdn: string): string | null {
  if (typeof url !== 'string' || !url.startsWith(cdn)) return null
  return shape.exec(url.slice(cdn.length))?.[1] ?? null
}
