/**
 * Reads items one after another and works on up to `lanes` of them at once; each call of the answered function hands over the next
 * result in order, `undefined` after the last. No more than `lanes` items are ever read and not handed over. A failed read or
 * work fails the call whose turn it is, and no item is read after a failed read.
 */
export function inOrder<Item, Result>(
  lanes: number,
  read: () => Promise<Item | undefined>,
  work: (item: Item) => Promise<Result>,
): () => Promise<Result | undefined> {
  const ahead: Promise<Result | undefined>[] = []
  let turn: Promise<unknown> = Promise.resolve()

  const begin = (): Promise<Result | undefined> => {
    const item = turn.then(read)
    turn = item
    const result = item.then(value => (value === undefined ? undefined : work(value)))
    // The failure is told by the call whose turn it is; before that it is nobody's yet.
    result.catch(() => undefined)
    return result
  }

  return async () => {
    while (ahead.length < lanes) ahead.push(begin())
    return await ahead.shift()
  }
}
