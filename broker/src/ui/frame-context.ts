import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Overlay } from '../overlay/overlay.ts'

/** What surfaces stand on: the overlay that tells the host page of them, and the window they are in. */
export interface FrameSurroundings {
  readonly overlay: Overlay
  readonly view: Window
}

const Surroundings = createContext<FrameSurroundings | undefined>(undefined)

/** Provides the surroundings. */
export const FrameProvider = Surroundings.Provider

/** The surroundings. @throws outside a provider. */
export function useFrame(): FrameSurroundings {
  const found = useContext(Surroundings)
  if (found === undefined) throw new Error('a surface stands in a frame')
  return found
}
