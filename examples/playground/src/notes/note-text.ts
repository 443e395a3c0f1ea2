/** What a person writes. */
export interface Words {
  readonly title: string
  readonly text: string
}

/** A note as a Markdown file has it: the title is its first heading. */
export const written = ({ title, text }: Words): string => `# ${oneLine(title)}\n\n${text}`

/** The words of a Markdown file; without a heading it is all text. */
export function parsed(file: string): Words {
  const [whole, title = ''] = /^#(?: (.*))?(?:\n\n?|$)/.exec(file) ?? ['']
  return { title, text: file.slice(whole.length) }
}

/** Whether two are the same words. */
export const isSame = (one: Words, other: Words): boolean => written(one) === written(other)

/** What a list calls a note. */
export const headline = ({ title, text }: Words): string => title.trim() || text.trim().split('\n', 1)[0]?.slice(0, 60).trim() || 'Untitled'

/** The name a note gets for its file: when it was made, and something that no other device makes at that moment. */
export const fileName = (made: Date, unique: string): string => `${made.toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.')} ${unique}.md`

/** A name a downloaded note can have anywhere. */
export function downloadName(words: Words): string {
  const plain = headline(words)
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[. ]+|[. ]+$/g, '')
  return `${plain || 'note'}.md`
}

/** Whether the file is one side of a conflict that was kept beside the other. */
export const isCopy = (name: string): boolean => / \(conflict [\d .-]+\)\.md$/.test(name)

const oneLine = (title: string): string => title.replaceAll(/\s*\n\s*/g, ' ')
