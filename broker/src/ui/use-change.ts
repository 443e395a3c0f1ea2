import { useLayoutEffect, useReducer } from 'preact/hooks'

/** Draws the component again whenever the source tells of a change. */
export function useChange(subscribe: (listener: () => void) => () => void): void {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  useLayoutEffect(() => subscribe(() => draw(undefined)), [subscribe])
}
