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

/** Builds the playground into a folder that any static server can serve from the root of an origin. */
export async function buildPlayground(options: { readonly outDir: string; readonly broker: string; readonly minify?: boolean }): Promise<void> {
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
    define: { BROKER_ORIGIN: JSON.stringify(options.broker) },
    plugins: [raw],
    logLevel: 'warning',
  }
  await build({ ...shared, entryPoints: { app: join(source, 'main.tsx') }, splitting: true, chunkNames: 'part-[hash]' })
  // Whole, so that it runs also where workers cannot import.
  await build({ ...shared, entryPoints: { sw: join(source, 'sw.ts') } })
  await copyFile(join(source, 'index.html'), join(options.outDir, 'index.html'))
  await copyFile(join(source, 'icon.svg'), join(options.outDir, 'icon.svg'))
}
