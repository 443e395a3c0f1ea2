/** What both Node's file functions and Deputy's are asked in tests; every case answers a transcript, and the transcripts must be alike. Runs in Node and in pages. */

/** The functions under test, as far as the shapes of both agree. */
export interface FsUnderTest {
  readFile(path: string, options?: unknown): Promise<string | Uint8Array>
  writeFile(path: string, data: never, options?: unknown): Promise<void>
  appendFile(path: string, data: string, options?: unknown): Promise<void>
  truncate(path: string, length?: number): Promise<void>
  unlink(path: string): Promise<void>
  rm(path: string, options?: object): Promise<void>
  rmdir(path: string): Promise<void>
  mkdir(path: string, options?: object): Promise<string | undefined>
  readdir(path: string, options?: object): Promise<readonly (string | { readonly name: string; isDirectory(): boolean; isFile(): boolean })[]>
  stat(
    path: string,
  ): Promise<{ readonly size: number; readonly mtimeMs: number; readonly mtime: Date; isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }>
  lstat(path: string): Promise<{ isFile(): boolean }>
  access(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  copyFile(from: string, to: string, mode?: number): Promise<void>
  cp(from: string, to: string, options?: object): Promise<void>
  open(
    path: string,
    flags?: string,
  ): Promise<{
    read(buffer: Uint8Array, offset?: number, length?: number, position?: number | null): Promise<{ readonly bytesRead: number }>
    write(data: never, position?: number | null): Promise<{ readonly bytesWritten: number }>
    readFile(encoding: never): Promise<unknown>
    truncate(length?: number): Promise<void>
    stat(): Promise<{ readonly size: number }>
    sync(): Promise<void>
    close(): Promise<void>
  }>
}

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: { code?: unknown; syscall?: unknown }) => error.code,
  )
const text = async (fs: FsUnderTest, path: string) => fs.readFile(path, 'utf8')
const tree = async (fs: FsUnderTest, path: string) =>
  ((await fs.readdir(path, { recursive: true, withFileTypes: true })) as readonly { readonly name: string; isDirectory(): boolean }[])
    .map(entry => `${entry.isDirectory() ? 'd' : 'f'} ${entry.name}`)
    .toSorted()
const put = (fs: FsUnderTest, path: string, data: unknown, options?: unknown) => fs.writeFile(path, data as never, options)

/** Each in a directory of its own, `root`, which is there and empty. */
export const fsCases: Readonly<Record<string, (fs: FsUnderTest, root: string) => Promise<unknown>>> = {
  'write and read': async (fs, root) => {
    await put(fs, `${root}/a.txt`, 'grüße')
    await put(fs, `${root}/b.bin`, new Uint8Array([0, 255, 7]))
    await put(fs, `${root}/b.bin`, new Uint8Array([0, 255, 7, 9]).subarray(1, 3))
    await put(fs, `${root}/empty`, '')
    return [await text(fs, `${root}/a.txt`), [...((await fs.readFile(`${root}/b.bin`)) as Uint8Array)], await text(fs, `${root}/empty`)]
  },
  encodings: async (fs, root) => {
    const said: unknown[] = []
    for (const encoding of ['utf8', 'latin1', 'hex', 'base64', 'base64url', 'utf16le', 'ascii'] as const) {
      const given = encoding === 'hex' ? '00ff10' : encoding.startsWith('base64') ? 'AP8Qq-8' : 'aé~z'
      await put(fs, `${root}/${encoding}`, given, encoding)
      said.push([...((await fs.readFile(`${root}/${encoding}`)) as Uint8Array)], await fs.readFile(`${root}/${encoding}`, { encoding }))
    }
    return said
  },
  'blobs, iterables and views': async (fs, root) => {
    await put(fs, `${root}/list`, ['one ', 'two'])
    await put(fs, `${root}/view`, new DataView(new Uint8Array([1, 2, 3]).buffer, 1, 2))
    return [await text(fs, `${root}/list`), [...((await fs.readFile(`${root}/view`)) as Uint8Array)]]
  },
  flags: async (fs, root) => {
    const at = `${root}/f`
    return [
      await code(put(fs, at, 'one', { flag: 'wx' })),
      await code(put(fs, at, 'two', { flag: 'wx' })),
      await code(put(fs, at, ' more', { flag: 'a' })),
      await code(put(fs, at, ' never', { flag: 'ax' })),
      await code(fs.appendFile(at, ' end')),
      await text(fs, at),
      await code(fs.appendFile(`${root}/new`, 'begun')),
      await text(fs, `${root}/new`),
    ]
  },
  truncate: async (fs, root) => {
    const at = `${root}/f`
    await put(fs, at, 'abcdef')
    await fs.truncate(at, 3)
    const short = await text(fs, at)
    await fs.truncate(at, 5)
    const long = [...((await fs.readFile(at)) as Uint8Array)]
    await fs.truncate(at)
    return [short, long, (await fs.stat(at)).size, await code(fs.truncate(`${root}/none`))]
  },
  'stat and access': async (fs, root) => {
    const began = Date.now()
    await put(fs, `${root}/f`, 'four')
    await fs.mkdir(`${root}/d`)
    const [file, directory] = [await fs.stat(`${root}/f`), await fs.stat(`${root}/d`)]
    return [
      [file.size, file.isFile(), file.isDirectory(), file.isSymbolicLink(), Math.abs(file.mtimeMs - began) < 60_000, file.mtime instanceof Date],
      [directory.isFile(), directory.isDirectory()],
      (await fs.lstat(`${root}/f`)).isFile(),
      await code(fs.stat(`${root}/none`)),
      await code(fs.stat(`${root}/f/below`)),
      await code(fs.access(`${root}/f`)),
      await code(fs.access(`${root}/none`)),
    ]
  },
  directories: async (fs, root) => {
    const made = [
      await code(fs.mkdir(`${root}/a`)),
      await code(fs.mkdir(`${root}/a`)),
      await code(fs.mkdir(`${root}/x/y/z`)),
      await code(fs.mkdir(`${root}/x/y/z`, { recursive: true })),
      await code(fs.mkdir(`${root}/x/y/z`, { recursive: true })),
    ]
    await put(fs, `${root}/x/y/f`, '1')
    const names = (await fs.readdir(`${root}/x/y`)) as string[]
    const all = (await fs.readdir(root, { recursive: true })) as string[]
    const typed = ((await fs.readdir(`${root}/x/y`, { withFileTypes: true })) as { name: string; isDirectory(): boolean; isFile(): boolean }[]).map(entry => [
      entry.name,
      entry.isDirectory(),
      entry.isFile(),
    ])
    return [
      made,
      names.toSorted(),
      all.toSorted(),
      typed.map(String).toSorted(),
      await code(fs.readdir(`${root}/none`)),
      await code(fs.readdir(`${root}/x/y/f`)),
      await code(fs.mkdir(`${root}/x/y/f`)),
      await code(fs.mkdir(`${root}/x/y/f`, { recursive: true })),
    ]
  },
  'files where directories are, and the reverse': async (fs, root) => {
    await fs.mkdir(`${root}/d`)
    await put(fs, `${root}/f`, 'x')
    return [
      await code(put(fs, `${root}/d`, 'x')),
      await code(fs.readFile(`${root}/d`)),
      await code(put(fs, `${root}/f/g`, 'x')),
      await code(fs.readFile(`${root}/f/g`)),
      await code(fs.readFile(`${root}/none`)),
      await code(fs.mkdir(`${root}/f/g`)),
      await text(fs, `${root}/f`),
    ]
  },
  removing: async (fs, root) => {
    await fs.mkdir(`${root}/d/e`, { recursive: true })
    await put(fs, `${root}/d/e/f`, 'x')
    await put(fs, `${root}/g`, 'x')
    return [
      await code(fs.unlink(`${root}/g`)),
      await code(fs.unlink(`${root}/g`)),
      await code(fs.rmdir(`${root}/d`)),
      await code(fs.rm(`${root}/none`)),
      await code(fs.rm(`${root}/none`, { force: true })),
      await code(fs.rm(`${root}/d`, { recursive: true })),
      await fs.readdir(root),
      await code(fs.mkdir(`${root}/h`)),
      await code(fs.rmdir(`${root}/h`)),
      await code(fs.rmdir(`${root}/h`)),
    ]
  },
  'an emptied directory stays': async (fs, root) => {
    await fs.mkdir(`${root}/d`)
    await put(fs, `${root}/d/f`, 'x')
    await fs.unlink(`${root}/d/f`)
    return [await fs.readdir(`${root}/d`), (await fs.stat(`${root}/d`)).isDirectory()]
  },
  'renaming files': async (fs, root) => {
    await put(fs, `${root}/a`, 'one')
    await put(fs, `${root}/b`, 'two')
    await fs.mkdir(`${root}/d`)
    return [
      await code(fs.rename(`${root}/a`, `${root}/b`)),
      await text(fs, `${root}/b`),
      await code(fs.rename(`${root}/b`, `${root}/b`)),
      await code(fs.rename(`${root}/none`, `${root}/c`)),
      await code(fs.rename(`${root}/b`, `${root}/d`)),
      await code(fs.rename(`${root}/d`, `${root}/b`)),
      await code(fs.rename(`${root}/b`, `${root}/d/b`)),
      await tree(fs, root),
    ]
  },
  'renaming directories': async (fs, root) => {
    await fs.mkdir(`${root}/a/b/empty`, { recursive: true })
    await put(fs, `${root}/a/b/f`, 'deep')
    await fs.mkdir(`${root}/full`)
    await put(fs, `${root}/full/f`, 'x')
    return [
      await code(fs.rename(`${root}/a`, `${root}/a/b/c`)),
      await code(fs.rename(`${root}/a`, `${root}/full`)),
      await code(fs.rename(`${root}/a`, `${root}/c`)),
      await text(fs, `${root}/c/b/f`),
      await tree(fs, root),
    ]
  },
  copying: async (fs, root) => {
    await put(fs, `${root}/a`, 'one')
    await put(fs, `${root}/b`, 'two')
    await fs.mkdir(`${root}/d/e`, { recursive: true })
    await put(fs, `${root}/d/e/f`, 'deep')
    return [
      await code(fs.copyFile(`${root}/a`, `${root}/b`)),
      await text(fs, `${root}/b`),
      await code(fs.copyFile(`${root}/a`, `${root}/b`, 1)),
      await code(fs.copyFile(`${root}/none`, `${root}/c`)),
      await code(fs.cp(`${root}/d`, `${root}/copy`, { recursive: true })),
      await text(fs, `${root}/copy/e/f`),
      await tree(fs, root),
    ]
  },
  handles: async (fs, root) => {
    const made = await fs.open(`${root}/h`, 'w+')
    await made.write('hello world' as never)
    await made.write('HELLO' as never, 0)
    await made.truncate(8)
    await made.sync()
    const size = (await made.stat()).size
    await made.close()
    const read = await fs.open(`${root}/h`)
    const buffer = new Uint8Array(4)
    const { bytesRead } = await read.read(buffer, 0, 4, 2)
    const refused = await code(read.write('x' as never))
    await read.close()
    return [
      size,
      await text(fs, `${root}/h`),
      bytesRead,
      [...buffer],
      refused,
      await code(read.stat()),
      await code(fs.open(`${root}/none`)),
      await code(fs.open(`${root}/h`, 'wx')),
    ]
  },
  'odd names': async (fs, root) => {
    for (const name of ['ü ñ', '日本', '.hidden', 'a..b', '%2F', "it's", 'x'.repeat(200)]) await put(fs, `${root}/${name}`, name)
    return [
      ((await fs.readdir(root)) as string[]).toSorted(),
      await text(fs, `${root}/./%2F`),
      await text(fs, `${root}//日本`),
      await text(fs, `${root}/../${root.slice(root.lastIndexOf('/') + 1)}/.hidden`),
    ]
  },
}

/** Runs every case on a module; answers the transcripts by name. */
export async function transcripts(fs: FsUnderTest, root = ''): Promise<Record<string, unknown>> {
  const said: Record<string, unknown> = {}
  let turn = 0
  for (const [name, run] of Object.entries(fsCases)) {
    const at = `${root}/case-${turn++}`
    await fs.mkdir(at)
    said[name] = await run(fs, at).catch((error: Error) => `threw ${error.stack}`)
  }
  return said
}
