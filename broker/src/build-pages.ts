import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as bundle, type BuildOptions, type Metafile } from 'esbuild'
import { pages, sealWorker } from './pages.ts'

/** Where the broker's pages go. */
export interface BuildPagesOptions {
  /** Emptied first. */
  readonly outDir: string
  /** Whether scripts and styles are made small; true unless said. */
  readonly minify?: boolean
  /** What names the build; a hash of all that is served unless said. */
  readonly build?: string
}

const sources = dirname(fileURLToPath(import.meta.url))

/**
 * Builds the broker's pages for any static server: one html file a page, everything else in `assets/` under names that carry a
 * hash. No script or style stands inline, so the strictest content policy holds. Answers the id of the build.
 */
export async function buildPages({ outDir, minify = true, build }: BuildPagesOptions): Promise<string> {
  await rm(outDir, { recursive: true, force: true })
  await mkdir(outDir, { recursive: true })
  const { metafile } = await bundle({
    ...common,
    minify,
    outdir: outDir,
    entryPoints: [...pages.map(page => page.entry), sealWorker].map(entry => join(sources, entry)),
    splitting: true,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    assetNames: 'assets/[name]-[hash]',
  })
  const outputs = outputsOf(metafile, outDir)
  const made = (entry: string): Output => {
    const output = outputs.find(({ source }) => source === join(sources, entry))
    if (output === undefined) throw new Error(`the build made nothing of ${entry}`)
    return output
  }
  const id =
    build ??
    createHash('sha256')
      .update(
        outputs
          .map(({ path }) => path)
          .toSorted()
          .join('\n'),
      )
      .digest('hex')
      .slice(0, 16)
  const worker = made(sealWorker).path
  for (const page of pages)
    await writeFile(join(outDir, `${page.name}.html`), html(page.title, made(page.entry), { 'deputy-build': id, 'deputy-seal-worker': `/${worker}` }))
  return id
}

const common = {
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome120', 'firefox128', 'safari17.4'],
  conditions: ['source'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions

interface Output {
  readonly path: string
  readonly source: string | undefined
  readonly style: string | undefined
}

function outputsOf({ outputs }: Metafile, outDir: string): Output[] {
  const place = (path: string): string => relative(outDir, join(process.cwd(), path)).replaceAll('\\', '/')
  return Object.entries(outputs).map(([path, { entryPoint, cssBundle }]) => ({
    path: place(path),
    source: entryPoint === undefined ? undefined : join(process.cwd(), entryPoint),
    style: cssBundle === undefined ? undefined : place(cssBundle),
  }))
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

const html = (title: string, { path, style }: Output, meta: Readonly<Record<string, string>>): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${Object.entries(meta)
  .map(([name, content]) => `<meta name="${name}" content="${escape(content)}">`)
  .join('\n')}
<title>${escape(title)}</title>
${style === undefined ? '' : `<link rel="stylesheet" href="/${style}">\n`}<script type="module" src="/${path}"></script>
</head>
<body></body>
</html>
`
