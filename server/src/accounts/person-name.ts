/** A name as it is kept: normalised, without control and direction-changing characters; null when nothing is left. */
export function personName(typed: string): string | null {
  const name = typed
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return name === '' ? null : name
}
