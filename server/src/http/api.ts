import type { ServerResponse } from 'node:http'
import { pathOf } from '@deputy/contract/api'
import { parse, ShapeError } from '@deputy/contract/validate'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { placeOf } from '../operations/log.ts'
import type { Services } from '../services.ts'
import { addressOf } from './address.ts'
import { answer, isRefusal, refusalAnswer, sendAnswer } from './answer.ts'
import { readJson } from './body.ts'
import { callerOf, corsHeaders, openCors, preflight } from './cors.ts'
import { type Call, type Handler, type RawContext, type Refusal, refuse } from './handler.ts'
import { makeLimits } from './limits.ts'

/** Serves the handlers on the api origin. */
export function apiApp(services: Services, handlers: readonly Handler[]): Hono<{ Bindings: HttpBindings }> {
  const { broker } = services.origins
  const app = new Hono<{ Bindings: HttpBindings }>()
  const serve = servePipeline(services)
  for (const item of handlers) {
    if (item.kind === 'json') app.post(pathOf(item.route), context => serve(item, context))
    else app.on(item.route.method, item.route.path, context => serve(item, context))
  }
  app.options('*', context =>
    callerOf(context.req.header('origin'), broker) === 'broker' ? preflight(broker) : refusalAnswer(refuse('denied', 'this origin may not call')),
  )
  app.notFound(context =>
    refusalAnswer(refuse('not-found', 'there is no such route'), callerOf(context.req.header('origin'), broker) === 'broker' ? corsHeaders(broker) : {}),
  )
  return app
}

function servePipeline(services: Services): (item: Handler, context: RawContext) => Promise<Response> {
  const { config, origins, metrics, log } = services
  const limits = makeLimits(config)
  const own = corsHeaders(origins.broker)
  const corsOf = ({ kind, route }: Handler): Readonly<Record<string, string>> => (kind === 'raw' && route.callers === 'any' ? openCors : own)

  const limited = (pace: string, seconds: number, cors: Readonly<Record<string, string>>): Response => {
    metrics.limited(pace)
    return refusalAnswer(refuse('rate-limited', 'too many calls'), { ...cors, 'retry-after': String(seconds) })
  }

  const run = async (item: Handler, context: RawContext): Promise<Response> => {
    const { incoming, outgoing } = context.env
    const caller = callerOf(incoming.headers.origin, origins.broker)
    const cors = corsOf(item)
    if (caller === 'foreign' && cors === own) return refusalAnswer(refuse('denied', 'this origin may not call'), { vary: 'origin' })
    const address = addressOf(incoming, config.server.proxies)
    const fromAddress = await limits.address(address)
    if (fromAddress !== null) return limited('address', fromAddress, cors)
    const { access, pace } = item.route
    const node = access === 'node' ? services.tunnelNodes.nodeBy(incoming.headers.authorization) : null
    if (access === 'node' && node === null) return refusalAnswer(refuse('unauthorized', 'the node is unknown'), { ...cors, 'www-authenticate': 'Bearer' })
    const session = access === 'anyone' || access === 'node' ? null : await authenticate(services, incoming.headers.authorization)
    if (session !== null && isRefusal(session)) return refusalAnswer(session, { ...cors, 'www-authenticate': 'Bearer' })
    if (access === 'account' && session?.app !== null) return refusalAnswer(refuse('denied', 'only the account itself may call this'), cors)
    if (access === 'app' && session?.app === null) return refusalAnswer(refuse('denied', 'only a connected app may call this'), cors)
    const inTurn = pace === 'none' ? null : await limits.pace(pace, session?.account ?? (node === null ? address : `node ${node}`))
    if (inTurn !== null) return limited(pace, inTurn, cors)
    const call = { ...services, session, node, address } as Call
    if (item.kind === 'raw') {
      for (const [name, value] of Object.entries(cors)) outgoing.setHeader(name, value)
      const output = await item.run(context, call)
      return isRefusal(output) ? refusalAnswer(output, output.error === 'rate-limited' ? { 'retry-after': '1' } : {}) : output
    }
    const body = await readJson(incoming, config.limits)
    if (!('value' in body)) return refusalAnswer(body, { ...cors, connection: 'close' })
    let input: unknown
    try {
      input = parse(item.route.body, body.value, 'body')
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error
      return refusalAnswer(refuse('invalid', error.message.slice(0, 1000)), cors)
    }
    const output = await item.run(input, call)
    return isRefusal(output) ? refusalAnswer(output, cors) : sendAnswer(outgoing, parse(item.route.answer, output, 'answer'), cors)
  }

  return async (item, context) => {
    const started = performance.now()
    const name = item.kind === 'json' ? `${item.route.area}/${item.route.name}` : item.route.name
    metrics.inFlight(1)
    let response: Response
    try {
      response = await run(item, context)
    } catch (error) {
      log.error('failed', { route: name, ...placeOf(error) })
      response = failed(context.env.outgoing, corsOf(item))
    } finally {
      metrics.inFlight(-1)
    }
    const seconds = (performance.now() - started) / 1000
    const status = response === RESPONSE_ALREADY_SENT ? context.env.outgoing.statusCode : response.status
    metrics.answered(name, status, seconds)
    if (seconds * 1000 >= config.operations.slow) log.warn('slow', { route: name, status, ms: Math.round(seconds * 1000) })
    else if (config.operations.sample > 0 && Math.random() < config.operations.sample)
      log.info('request', { route: name, status, ms: Math.round(seconds * 1000) })
    return response
  }
}

/** An answer that was begun cannot be taken back: it is broken off. */
function failed(outgoing: ServerResponse, cors: Readonly<Record<string, string>>): Response {
  if (!outgoing.headersSent) return answer({ error: 'unavailable', message: 'the server failed' }, 500, cors)
  outgoing.destroy()
  return RESPONSE_ALREADY_SENT
}

async function authenticate(
  services: Services,
  authorization: string | undefined,
): Promise<Refusal | NonNullable<Awaited<ReturnType<Services['findSession']>>>> {
  const token = /^Bearer ([A-Za-z0-9_-]{43})$/.exec(authorization ?? '')?.[1]
  const session = token === undefined ? null : await services.findSession(token)
  return session ?? refuse('unauthorized', 'the session is unknown or over')
}
