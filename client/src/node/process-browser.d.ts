declare module 'process/browser.js' {
  const shim: { nextTick<A extends readonly unknown[]>(run: (...of: A) => void, ...of: A): void }
  export default shim
}
