import type { Page } from 'playwright-core'
import type { Issued } from './certificates.ts'
import { postgresPassword, type RealServer } from './real-servers.ts'
import type {} from './real-clients-script.ts'

/** What `pg` in a page of `real-clients-script.ts` finds of its connection with `ssl`, and its codes for servers that are not the one it trusts. */
export async function pgOverTls(page: Page, postgres: RealServer, root: Issued): Promise<object> {
  return page.evaluate(
    async ([port, password, ca]) => {
      const { Client } = clients.pg
      const config = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres', password }
      const client = new Client({ ...config, ssl: { ca, servername: 'server.test' }, enableChannelBinding: true })
      await client.connect()
      const { rows } = await client.query<{ ssl: boolean; version: string }>('select ssl, version from pg_stat_ssl where pid = pg_backend_pid()')
      const long = await client.query<{ text: string }>("select repeat('x', 300000) as text")
      await client.end()
      const refused = [
        await clients.code(new Client({ ...config, ssl: { servername: 'server.test' } }).connect()),
        await clients.code(new Client({ ...config, ssl: { ca, servername: 'other.test' } }).connect()),
      ]
      return { rows, length: long.rows[0]?.text.length, refused }
    },
    [postgres.port, postgresPassword, root.cert] as const,
  )
}
