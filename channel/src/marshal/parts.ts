import type { Shape, ShapeBody } from '@deputy/contract/shape'

/** The shapes a compound of data is made of; undefined for anything else. */
export function partsOf(body: ShapeBody): readonly Shape[] | undefined {
  switch (body.kind) {
    case 'nullable':
    case 'optional':
    case 'list':
    case 'dictionary':
      return [body.of]
    case 'object':
      return Object.values(body.members)
    case 'either':
      return body.branches
    default:
      return undefined
  }
}
