import { createTransport } from 'nodemailer'
import type { Mail } from './mail.ts'

/** Sends letters through the SMTP server of the url, with bounded waiting. */
export function smtpMail(url: string, from: string): Mail {
  const transport = createTransport({
    url,
    pool: true,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    send: async letter => {
      await transport.sendMail({ from, ...letter })
    },
    close: async () => transport.close(),
  }
}
