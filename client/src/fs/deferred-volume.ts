import type { Listener, Volume } from './volume.ts'

/** A volume that is still to be opened; `watch` works from the start. */
export function deferredVolume(opened: Promise<Volume>): Volume {
  return {
    stat: async path => (await opened).stat(path),
    children: async path => (await opened).children(path),
    below: async path => (await opened).below(path),
    read: async (path, start, end) => (await opened).read(path, start, end),
    write: async (path, bytes, options) => (await opened).write(path, bytes, options),
    makeDirectory: async path => (await opened).makeDirectory(path),
    remove: async path => (await opened).remove(path),
    exclusive: async run => (await opened).exclusive(run),
    watch: listener => {
      let off: (() => void) | undefined
      let isOver = false
      const own: Listener = (path, event) => listener(path, event)
      void opened.then(
        volume => {
          if (!isOver) off = volume.watch(own)
        },
        () => undefined,
      )
      return () => {
        isOver = true
        off?.()
      }
    },
  }
}
