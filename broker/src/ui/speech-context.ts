import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { speechOf, type Speech } from '../strings/speech.ts'

/** The speech of the tree; English unless provided. */
export const SpeechContext = createContext<Speech>(speechOf('en'))

/** The texts and formats of the tree. */
export const useSpeech = (): Speech => useContext(SpeechContext)
