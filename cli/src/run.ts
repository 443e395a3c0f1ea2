import { parseArgs } from 'node:util'
import { ConfigError, FolderLocked, PortTaken } from '@deputy/server'
import { admin } from './admin.ts'
import { Misuse, type Command, type Surroundings } from './command.ts'
import { dev } from './dev.ts'
import { doctor } from './doctor.ts'
import { node } from './node.ts'
import { printConfig } from './print-config.ts'
import { up } from './up.ts'

export type { Surroundings } from './command.ts'

const commands: Readonly<Record<string, Command>> = { dev, up, node, doctor, config: printConfig, admin }

const overview = `deputy <command> [options]

${Object.entries(commands)
  .map(([name, { about }]) => `  ${name.padEnd(8)} ${about}`)
  .join('\n')}

"deputy <command> --help" says more. Every setting is a variable that starts with DEPUTY_; "deputy config" lists them.`

/** Runs the command line; answers the exit code. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const [name, ...rest] = args
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    const asked = name === undefined || name === 'help' || name === '--help'
    ;(asked ? surroundings.out : surroundings.err)(asked ? overview : `there is no command ${name}\n\n${overview}`)
    return asked ? 0 : 2
  }
  try {
    const { values, positionals } = parseArgs({ args: rest, options: { help: { type: 'boolean' }, ...command.options }, allowPositionals: true, strict: true })
    if (values['help'] === true) {
      surroundings.out(command.help)
      return 0
    }
    return await command.run({ values, positionals }, surroundings)
  } catch (error) {
    if (error instanceof Misuse || isParseError(error)) {
      surroundings.err(`${error.message}\n\n${command.help}`)
      return 2
    }
    if (error instanceof ConfigError || error instanceof PortTaken || error instanceof FolderLocked) {
      surroundings.err(error.message)
      return 1
    }
    throw error
  }
}

const isParseError = (error: unknown): error is Error => error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
