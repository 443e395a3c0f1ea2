import type { Served } from '@deputy/contract/shape'
import type { shell } from '@deputy/contract/shell'
import { tellFar } from '../listeners.ts'
import type { UpdateWatch } from './update-watch.ts'

/** The `shell` namespace: one watch for all links of the frame. */
export const shellService = (watch: UpdateWatch): Served<typeof shell> => ({
  updateReady: () => watch.ready(),
  applyUpdate: () => watch.apply(),
  onUpdate: listener => tellFar(listener, tell => watch.onReady(tell)),
  onUpdateTaken: listener => tellFar(listener, tell => watch.onTaken(tell)),
})
