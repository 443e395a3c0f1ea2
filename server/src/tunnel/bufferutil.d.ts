declare module 'bufferutil' {
  const bufferUtil: {
    /** Undoes the mask of a WebSocket's payload where it lies. */
    unmask(bytes: Uint8Array, mask: Uint8Array): void
  }
  export default bufferUtil
}
