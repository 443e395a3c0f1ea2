import { resolve } from 'node:path'
import { AdminError, type AdminCommand, askControl, type Config, NoServer, openContext, originsOf, readProcessConfig, runAdmin } from '@deputy/server'
import { type Arguments, type Command, Misuse, withSettings } from './command.ts'

interface Request {
  readonly name: AdminCommand
  readonly input: unknown
}

const readUntil = (value: unknown): number | null => {
  if (value === undefined) return null
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(time)) throw new Misuse('--until takes a date such as 2030-01-31')
  return time
}

const actions: Readonly<Record<string, (target: () => string, args: Arguments) => Request>> = {
  'list-accounts': () => ({ name: 'list-accounts', input: {} }),
  'grant-premium': (target, { values }) => ({ name: 'set-premium', input: { account: target(), premium: true, until: readUntil(values['until']) } }),
  'revoke-premium': target => ({ name: 'set-premium', input: { account: target(), premium: false } }),
  sessions: (target, { values }) => ({ name: 'sessions', input: { account: target(), end: values['end'] === true } }),
  backup: target => ({ name: 'backup', input: { file: resolve(target()) } }),
  sweep: () => ({ name: 'sweep', input: {} }),
}

/** Commands of the operator; they work beside a running server and without one. */
export const admin: Command = {
  about: 'commands for the operator',
  help: `deputy admin <action>

  list-accounts                           every account
  grant-premium <account> [--until <day>] gives premium, for ever or until a day
  revoke-premium <account>                takes premium
  sessions <account> [--end]              lists the sessions of an account, and ends them
  backup <file>                           copies the database, while in use; copy the folder objects/ after it
  sweep                                   removes what is out of time and bytes that belong to nothing

An account is named by its id or its e-mail address. The actions reach the running server of the folder; without one they
open the folder themselves.

  --folder   the folder of the server
  --config   a JSON file of settings
  --json     prints JSON`,
  options: {
    folder: { type: 'string' },
    config: { type: 'string' },
    until: { type: 'string' },
    end: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: async (args, { env, out, err }) => {
    const [name = '', target] = args.positionals
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    if (action === undefined) throw new Misuse(name === '' ? 'which action?' : `there is no action ${name}`)
    const request = action(() => {
      if (target === undefined) throw new Misuse(`${name} needs one more word`)
      return target
    }, args)
    try {
      const output = await perform(readProcessConfig(withSettings(env, args)), request)
      out(args.values['json'] === true ? JSON.stringify(output, null, 2) : show(output))
      return 0
    } catch (error) {
      if (!(error instanceof AdminError)) throw error
      err(error.message)
      return 1
    }
  },
}

async function perform(config: Config, { name, input }: Request): Promise<unknown> {
  try {
    return await askControl(config.server.folder, name, input)
  } catch (error) {
    if (!(error instanceof NoServer)) throw error
  }
  const context = await openContext(config, originsOf(config, config.server.port))
  try {
    return await runAdmin(name, input, context)
  } finally {
    await context.close()
  }
}

/** A list as lines, an object as `name: value` lines. */
function show(output: unknown): string {
  if (Array.isArray(output)) return output.length === 0 ? 'none' : output.map(item => show(item).replaceAll('\n', '  ')).join('\n')
  if (typeof output !== 'object' || output === null) return String(output)
  return Object.entries(output)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}
