import { copyFile, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type BuildOptions, type Plugin } from 'esbuild'

const source = join(import.meta.dirname, 'src')

/** `import text from 'raw:./file.ts'` gives the file's own text, so that the code shown is the code that runs. */
const raw: Plugin = {
  name: 'raw',
  setup(building) {
    building.onResolve({ filter: /^raw:/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path.slice('raw:'.length)), namespace: 'raw' }))
    building.onLoad({ filter: /.*/, namespace: 'raw' }, async ({ path }) => ({ contents: await readFile(path, 'utf8'), loader: 'text' }))
  },
}

/** What the playground is built of. */
export interface BuildPlaygroundOptions {
  readonly outDir: string
  readonly broker: string
  /** Ports at 127.0.0.1 of somebody the network demo can talk to; without them it names public hosts. */
  readonly peer?: Readonly<Record<'http' | 'store' | 'discard' | 'chargen' | 'echo', number>> | undefined
  readonly minify?: boolean
}

/** Builds the playground into a folder that any static server can serve from the root of an origin. */
export async function buildPlayground(options: BuildPlaygroundOptions): Promise<void> {
  await rm(options.outDir, { recursive: true, force: true })
  await mkdir(options.outDir, { recursive: true })
  const shared: BuildOptions = {
    outdir: options.outDir,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['source'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: options.minify ?? false,
    define: { BROKER_ORIGIN: JSON.stringify(options.broker), DEMO_PEER: JSON.stringify(options.peer ?? null) },
    plugins: [raw],
    logLevel: 'warning',
  }
  await build({ ...shared, entryPoints: { app: join(source, 'main.tsx') }, splitting: true, chunkNames: 'part-[hash]' })
  // Whole, so that it runs also where workers cannot import.
  await build({ ...shared, entryPoints: { sw: join(source, 'sw.ts') } })
  await copyFile(join(source, 'index.html'), join(options.outDir, 'index.html'))
  await copyFile(join(source, 'icon.svg'), join(options.outDir, 'icon.svg'))
}
