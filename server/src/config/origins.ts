import type { Config } from './schema.ts'

/** The origins of the deployment; `playground` is null when none is served. */
export interface Origins {
  readonly broker: string
  readonly api: string
  readonly cdn: string
  readonly playground: string | null
}

/** The configured origins; those left empty are names below localhost on the port the server really took. */
export const originsOf = (config: Config, port: number): Origins => {
  const local = (name: string): string => `http://${name}.localhost:${port}`
  const { origins, sites } = config
  return {
    broker: origins.broker || local('broker'),
    api: origins.api || local('api'),
    cdn: origins.cdn || local('cdn'),
    playground: sites.playground === '' ? null : origins.playground || local('playground'),
  }
}
