import type { Mail } from './mail.ts'

/** Writes letters to a text sink (the console of the person who runs a local server) instead of sending them. */
export const printedMail = (print: (text: string) => void): Mail => ({
  send: async ({ to, subject, text }) => print(`\n--- mail to ${to}: ${subject}\n${text}\n---\n`),
  close: async () => {},
})
