declare const BROKER_ORIGIN: string
declare module 'raw:*' {
  const text: string
  export default text
}
