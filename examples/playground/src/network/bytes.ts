/** How bytes are shown. */
export type Face = 'text' | 'hex'

const perRow = 8
const pictures = 0x2400

/** Bytes as text, line ends as one and what cannot be seen as its picture. */
export function textOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes).replaceAll('\r\n', '\n')
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, character => String.fromCharCode(pictures + character.charCodeAt(0)))
}

/** Bytes as rows: where they stand, each in hex, and what of it is readable. */
export function hexOf(bytes: Uint8Array): string {
  const rows = Array.from({ length: Math.ceil(bytes.byteLength / perRow) }, (_, row) => {
    const part = [...bytes.subarray(row * perRow, (row + 1) * perRow)]
    const cells = part.map(byte => byte.toString(16).padStart(2, '0')).join(' ')
    const readable = part.map(byte => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '·')).join('')
    return `${(row * perRow).toString(16).padStart(4, '0')}  ${cells.padEnd(perRow * 3 - 1)}  ${readable}`
  })
  return rows.join('\n')
}

/** Two pieces as one. */
export function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.byteLength + other.byteLength)
  both.set(one)
  both.set(other, one.byteLength)
  return both
}
