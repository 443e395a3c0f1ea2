import { plainWords } from './plain-words.ts'
import { useSpeech } from './speech-context.ts'

/** The app's own words, marked as such. */
export const AppWords = ({ host, words }: { readonly host: string; readonly words: string }) => {
  const { text } = useSpeech()
  const plain = plainWords(words)
  if (plain === '') return null
  return (
    <figure class="app-words">
      <figcaption>
        <bdi>{text.common.appWords(host)}</bdi>
      </figcaption>
      <blockquote>
        <bdi>{plain}</bdi>
      </blockquote>
    </figure>
  )
}
