import { boolean, integer, nullable, object, optional, type Received, type Shape, string } from '@deputy/contract/shape'
import { parse } from '@deputy/contract/validate'
import type { ServerContext } from '../context.ts'
import type { Services } from '../services.ts'

/** What an operator may do; `run` answers data to print. */
interface Command<S extends Shape = Shape> {
  readonly input: S
  run(input: Received<S>, context: ServerContext): Promise<unknown>
}
const command = <S extends Shape>(input: S, run: Command<S>['run']): Command => ({ input, run: run as never })

/** An operator's mistake, told in words. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
}

const account = string({ min: 1, max: 254 })

const find = async (key: string, { rows }: Services): Promise<string> => {
  const found = await rows.read
    .selectFrom('accounts')
    .select('id')
    .where(row => row.or([row('id', '=', key), row('email', '=', key.toLowerCase())]))
    .executeTakeFirst()
  if (found === undefined) throw new AdminError(`there is no account with the id or address ${key}`)
  return found.id
}

const commands = {
  'list-accounts': command(object({}), async (_input, { services: { rows, profileOf } }) => {
    const ids = await rows.read.selectFrom('accounts').select('id').orderBy('created').execute()
    const profiles = await Promise.all(ids.map(({ id }) => profileOf(id)))
    return profiles.flatMap(profile => (profile === null ? [] : [{ ...profile, image: profile.image !== null }]))
  }),
  'set-premium': command(
    object({ account, premium: boolean, until: optional(nullable(integer())) }),
    async ({ account: key, premium, until }, { services }) => {
      const id = await find(key, services)
      await services.rows.write('setPremium', { account: id, premium, until: until ?? null })
      return services.profileOf(id)
    },
  ),
  sessions: command(object({ account, end: optional(boolean) }), async ({ account: key, end }, { services }) => {
    const id = await find(key, services)
    const sessions = await services.rows.read
      .selectFrom('sessions')
      .select(['id', 'app', 'device', 'created', 'last_used'])
      .where('account', '=', id)
      .orderBy('last_used', 'desc')
      .execute()
    if (end === true) await services.sessionsEnded(await services.rows.write('endSessions', { account: id }))
    return sessions
  }),
  backup: command(object({ file: string({ min: 1, max: 4096 }) }), async ({ file }, { services }) => {
    await services.rows.backup(file)
    return { file }
  }),
  sweep: command(object({}), async (_input, { sweeper, tidy }) => {
    await tidy.run()
    return sweeper.sweep({ full: true })
  }),
  check: command(object({}), async (_input, { services }) => ({ faults: await services.rows.check() })),
} satisfies Record<string, Command>

/** The name of an operator's command. */
export type AdminCommand = keyof typeof commands

/** Runs an operator's command on an open server. @throws {AdminError} in words for the operator; {ShapeError} for a bad input. */
export async function runAdmin(name: string, input: unknown, context: ServerContext): Promise<unknown> {
  if (!Object.hasOwn(commands, name)) throw new AdminError(`there is no command ${name}`)
  const { input: shape, run } = commands[name as AdminCommand]
  return run(parse(shape, input, 'input') as never, context)
}
