import type { ParseArgsOptionsConfig } from 'node:util'

/** What surrounds a command: its environment and where it prints. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Ends a command that runs until it is told to stop; the signals of the process unless given. */
  readonly stop?: AbortSignal
}

/** The arguments after the command's name. */
export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
  readonly positionals: readonly string[]
}

/** One command of the command line. */
export interface Command {
  /** One line of the overview. */
  readonly about: string
  readonly help: string
  readonly options: ParseArgsOptionsConfig
  /** Answers the exit code. */
  run(args: Arguments, surroundings: Surroundings): Promise<number>
}

/** The command was called wrongly; the message says how, its help follows. */
export class Misuse extends Error {
  override readonly name = 'Misuse'
}

/** The variables of options that stand for settings, e.g. `--port 4500` for DEPUTY_SERVER_PORT. */
export function withSettings(env: NodeJS.ProcessEnv, { values }: Arguments): NodeJS.ProcessEnv {
  const settings = { port: 'DEPUTY_SERVER_PORT', folder: 'DEPUTY_SERVER_FOLDER', config: 'DEPUTY_CONFIG' } as const
  const said = Object.entries(settings).flatMap(([option, variable]) => {
    const value = values[option]
    return typeof value === 'string' ? [[variable, value] as const] : []
  })
  return { ...env, ...Object.fromEntries(said) }
}
