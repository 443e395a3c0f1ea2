const encoder = new TextEncoder()
const longest = 1024
// eslint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f-\u009f]/

/**
 * The path in its one spelling (Unicode NFC), or null when it names no file: 1 to 1,024 bytes of segments between slashes, none of
 * them empty, `.` or `..`, and no control characters.
 */
export function filePath(path: string): string | null {
  const normal = path.normalize('NFC')
  if (!normal.isWellFormed() || control.test(normal) || encoder.encode(normal).length > longest) return null
  const whole = normal.split('/').every(segment => segment !== '' && segment !== '.' && segment !== '..')
  return whole ? normal : null
}
