import { configTable, readProcessConfig } from '@deputy/server'
import { type Command, withSettings } from './command.ts'

/** Prints the effective configuration. */
export const printConfig: Command = {
  about: 'prints every setting with its effective value',
  help: `deputy config [--config <file>] [--json]

Prints every setting with its effective value, secrets hidden. Those that differ from the default are marked with *.

  --config   a JSON file of settings
  --json     prints JSON`,
  options: { config: { type: 'string' }, port: { type: 'string' }, folder: { type: 'string' }, json: { type: 'boolean' } },
  run: async (args, { env, out }) => {
    const lines = configTable(readProcessConfig(withSettings(env, args)))
    if (args.values['json'] === true) {
      out(JSON.stringify(lines, null, 2))
      return 0
    }
    const width = Math.max(...lines.map(line => line.variable.length))
    const values = Math.min(40, Math.max(...lines.map(line => line.value.length)))
    out(lines.map(({ variable, value, about, changed }) => `${changed ? '*' : ' '} ${variable.padEnd(width)}  ${value.padEnd(values)}  ${about}`).join('\n'))
    return 0
  },
}
