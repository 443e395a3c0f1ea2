import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// npm run build: `dist/` of every package, JavaScript with its types and maps, from `src/` by the compiler alone; each after those it imports.

/** The packages that are published, in order of their imports. */
const packages = ['contract', 'channel', 'seal', 'tunnel', 'client', 'broker', 'server', 'cli']

mkdirSync('.cache', { recursive: true })
for (const name of packages) {
  rmSync(join(name, 'dist'), { recursive: true, force: true })
  const config = join('.cache', `build-${name}.json`)
  const from = join('..', name, 'src')
  const compilerOptions = {
    // Other packages are taken as a consumer takes them: built.
    customConditions: [],
    noEmit: false,
    declaration: true,
    declarationMap: true,
    sourceMap: true,
    rootDir: from,
    outDir: join('..', name, 'dist'),
  }
  const exclude = ['ts', 'tsx'].flatMap(end => ['test', 'test-d', 'test-support'].map(kind => `${from}/**/*.${kind}.${end}`))
  writeFileSync(config, JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: [from], exclude }))
  // Nothing after a package that does not build: what imports it would only fail for want of it.
  if (spawnSync('tsc', ['-p', config], { stdio: 'inherit' }).status !== 0) process.exit(1)
  for (const asset of globSync(join(name, 'src/**/*.{css,svg,json,sql}'))) {
    const target = asset.replace(`${name}/src/`, `${name}/dist/`)
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(asset, target)
  }
  console.log(`${name}: ${globSync(join(name, 'dist/**/*.js')).length} modules`)
}
