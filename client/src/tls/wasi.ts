const done = 0
const noSuchFile = 8
const unsupported = 52

/** What the engine's libc asks of its host: time and random bytes. There are no files, no arguments and no environment. */
export function wasiFor(memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
  const view = (): DataView => new DataView(memory().buffer)
  const refuse = (): number => unsupported
  const nothing = (count: number, size: number): number => {
    view().setUint32(count, 0, true)
    view().setUint32(size, 0, true)
    return done
  }
  const known: WebAssembly.ModuleImports = {
    clock_time_get: (clock: number, _precision: bigint, into: number): number => {
      const now = clock === 0 ? Date.now() : performance.now()
      view().setBigUint64(into, BigInt(Math.trunc(now * 1000)) * 1000n, true)
      return done
    },
    // No folders were opened beforehand: the first answer says that the list is at its end.
    fd_prestat_get: () => noSuchFile,
    environ_get: () => done,
    environ_sizes_get: nothing,
    random_get: (into: number, length: number): number => {
      const most = 65_536
      for (let at = 0; at < length; at += most) crypto.getRandomValues(new Uint8Array(memory().buffer, into + at, Math.min(most, length - at)))
      return done
    },
    proc_exit: (code: number): never => {
      throw new WebAssembly.RuntimeError(`the TLS engine ended with ${code}`)
    },
  }
  return new Proxy(known, { get: (of, name: string) => of[name] ?? refuse })
}
