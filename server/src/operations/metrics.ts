import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

/** What the server counts of itself. Labels are route names and statuses, never anything a person sent. */
export interface Metrics {
  readonly registry: Registry
  /** Counts an answered request. */
  answered(route: string, status: number, seconds: number): void
  /** Counts a request refused by a rate limit. */
  limited(pace: string): void
  /** Counts bytes of objects that came in or went out. */
  bytes(direction: 'in' | 'out', count: number): void
  /** Moves the number of requests in flight. */
  inFlight(change: 1 | -1): void
}

/** Metrics in a registry of their own. */
export function makeMetrics({ process = true }: { process?: boolean } = {}): Metrics {
  const registry = new Registry()
  if (process) collectDefaultMetrics({ register: registry, prefix: 'deputy_' })
  const registers = [registry]
  const requests = new Histogram({
    name: 'deputy_request_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers,
  })
  const limits = new Counter({ name: 'deputy_rate_limited_total', help: 'Requests refused by a rate limit', labelNames: ['pace'], registers })
  const moved = new Counter({ name: 'deputy_object_bytes_total', help: 'Bytes of objects received and sent', labelNames: ['direction'], registers })
  const flying = new Gauge({ name: 'deputy_requests_in_flight', help: 'Requests being answered', registers })
  return {
    registry,
    answered: (route, status, seconds) => requests.labels(route, String(status)).observe(seconds),
    limited: pace => limits.labels(pace).inc(),
    bytes: (direction, count) => moved.labels(direction).inc(count),
    inFlight: change => flying.inc(change),
  }
}
