type Class = new (...of: never[]) => object

/** What a constructor that was called without `new` was called on. */
let given: object | undefined

/** A class that may be called without `new`. */
export type Callable<C extends Class> = C & ((...of: ConstructorParameters<C>) => InstanceType<C>)

/** A class that may be called without `new`, and by those who extend it in the older way, as Node's own may. */
export function callable<C extends Class>(made: C): Callable<C> {
  const door = new Proxy(made, {
    apply: (_made, self: unknown, of: unknown[]) => {
      given = self instanceof made ? self : undefined
      try {
        return Reflect.construct(made, of) as object
      } finally {
        given = undefined
      }
    },
  })
  ;(made.prototype as { constructor: unknown }).constructor = door
  return door as never
}

/** A base whose heirs, once `callable`, are built into the object they are called on. */
export function adopting<C extends Class>(base: C): C {
  function Adopting(this: object, ...of: unknown[]): object {
    const self = given ?? this
    given = undefined
    Reflect.apply(base as never, self, of)
    return self
  }
  Adopting.prototype = base.prototype as object
  return Object.setPrototypeOf(Adopting, base) as C
}
