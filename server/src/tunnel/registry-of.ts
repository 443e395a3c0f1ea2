import type { Origins } from '../config/origins.ts'
import type { Config } from '../config/schema.ts'
import type { EmbeddedNode } from './embedded.ts'
import { openRegistry, type Registry } from './registry.ts'
import { loadMeter } from './load.ts'

/** The registry of a server: the nodes of its configuration, and its own where that is handed out. */
export function tunnelRegistry(config: Config['tunnel'], { api }: Origins, { sessions }: Pick<EmbeddedNode, 'sessions'>): Registry {
  const load = loadMeter()
  return openRegistry({
    config,
    embedded: config.embedded ? { id: config.node, title: config.title, origin: api, load: () => ({ load: load(), sessions: sessions.size }) } : null,
  })
}
