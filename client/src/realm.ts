/** The origin this code runs under, as the browser tells it. */
export function ownOrigin(): string {
  return globalThis.location.origin
}
