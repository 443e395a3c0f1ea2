/** Runs works one after another, in the order they came. Where more than `most` wait, `full` is called instead; `failed` where one throws. */
export function turnsOf({
  most,
  full,
  failed,
}: {
  readonly most: number
  readonly full: () => void
  readonly failed: () => void
}): (work: () => unknown) => void {
  let queue = Promise.resolve()
  let queued = 0
  return work => {
    queued += 1
    if (queued > most) return full()
    queue = queue
      .then(work)
      .then(() => undefined, failed)
      .finally(() => {
        queued -= 1
      })
  }
}
