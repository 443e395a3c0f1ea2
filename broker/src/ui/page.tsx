import './design.css'
import './page.css'
import { render, type ComponentChildren } from 'preact'
import { documentSpeech, type Speech } from '../strings/speech.ts'
import { Brand } from './brand.tsx'
import { SpeechContext, useSpeech } from './speech-context.ts'

/** Draws a window of the broker into this document, in the person's language. */
export function drawPage(title: (speech: Speech) => string, content: ComponentChildren): void {
  const speech = documentSpeech(document)
  document.title = `${title(speech)} · ${speech.text.common.product}`
  const root = document.createElement('div')
  root.className = 'page'
  document.body.append(root)
  render(<SpeechContext.Provider value={speech}>{content}</SpeechContext.Provider>, root)
}

/** A window of one short column, as the sign-in window is. */
export const Column = ({ children, label }: { readonly children: ComponentChildren; readonly label?: string }) => {
  const { text } = useSpeech()
  return (
    <main class="column" aria-label={label}>
      <Brand product={text.common.product} />
      {children}
    </main>
  )
}

/** What went wrong, said aloud. The region is always there, so that screen readers hear what enters it. */
export const Alert = ({ children }: { readonly children?: ComponentChildren }) => (
  <p class="alert" role="alert">
    {children}
  </p>
)
