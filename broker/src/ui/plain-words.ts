const longest = 280

/** An app's own words made harmless: no control, formatting or bidi characters, white space collapsed, capped. Never markup. */
export function plainWords(words: string, limit = longest): string {
  const plain = words
    .normalize('NFC')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu, '')
    // Stacked marks climb over the lines around them.
    .replaceAll(/(\p{M}{3})\p{M}+/gu, '$1')
    .trim()
  const characters = Array.from(new Intl.Segmenter().segment(plain), ({ segment }) => segment)
  return characters.length <= limit
    ? plain
    : `${characters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
}
