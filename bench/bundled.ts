import { basename, join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')

/** Builds a script of this folder as it would be shipped, so that neither loading sources nor their types count as its memory; answers the file. */
export async function bundled(script: string): Promise<string> {
  const outfile = join(root, '.deputy/bench', `${basename(script, '.ts')}.js`)
  await build({
    entryPoints: [join(import.meta.dirname, script)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    // Native code, and what looks for it.
    external: ['ws', 'bufferutil', 'undici'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return outfile
}
