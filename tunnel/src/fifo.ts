/** A queue that gives up its front without moving the rest. */
export class Fifo<T> {
  #items: (T | undefined)[] = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }
  get first(): T | undefined {
    return this.#items[this.#head]
  }
  push(item: T): void {
    this.#items.push(item)
  }
  shift(): T | undefined {
    const item = this.#items[this.#head]
    if (item === undefined) return undefined
    this.#items[this.#head] = undefined
    this.#head += 1
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
  /** Takes out the first that fits. */
  remove(fits: (item: T) => boolean): T | undefined {
    for (let at = this.#head; at < this.#items.length; at += 1) {
      const item = this.#items[at] as T
      if (fits(item)) {
        this.#items.splice(at, 1)
        return item
      }
    }
    return undefined
  }
  clear(): void {
    this.#items = []
    this.#head = 0
  }
  *[Symbol.iterator](): Generator<T> {
    for (let at = this.#head; at < this.#items.length; at += 1) yield this.#items[at] as T
  }
}
