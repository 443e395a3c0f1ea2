import type { AdoptState, fs } from '@deputy/contract/fs'
import type { Served } from '@deputy/contract/shape'
import type { AppIdentity } from '../app-identity.ts'
import type { AdoptSource, Prompts } from '../prompts.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { filePath } from './paths.ts'

/** The members of `cloud.fs` that ask the person something. */
export type Adopting = Pick<Served<typeof fs>, 'promptAdopt' | 'promptConflict' | 'setAdoptSource'>

/**
 * The cards about files. What the app announces as waiting is kept for the adopt card, which then does the work itself and shows how
 * far it is. The cards go with the account they were shown to.
 */
export function adoptingWith({
  app,
  prompts,
  sessions,
}: {
  readonly app: AppIdentity
  readonly prompts: Pick<Prompts, 'adopt' | 'conflict'>
  readonly sessions: Pick<Sessions, 'onChange'>
}): Adopting {
  let source: { readonly waiting: AdoptState; readonly run: () => Promise<unknown> } | null = null
  const listeners = new Set<() => void>()

  const whileSameAccount = async <T>(show: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const over = new AbortController()
    const end = sessions.onChange(({ switched }) => switched && over.abort())
    try {
      return await show(over.signal)
    } finally {
      end()
    }
  }
  const announced = (): AdoptSource | null => {
    if (source === null) return null
    const { run } = source
    return {
      run,
      left: () => source?.waiting ?? { bytes: 0, files: 0 },
      onChange: listener => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
  }

  return {
    setAdoptSource: (waiting, run) => {
      source = waiting === null || run === null ? null : { waiting, run }
      for (const listener of [...listeners]) listener()
    },
    promptAdopt: async request => {
      if (request.files === 0) return false
      return whileSameAccount(signal => prompts.adopt({ app, request, source: announced(), signal }))
    },
    promptConflict: async request => {
      // What is no path has no file that could be in conflict, and is no text to show.
      if (filePath(request.path) === null) return null
      return whileSameAccount(signal => prompts.conflict({ app, request, signal }))
    },
  }
}
