import type { NetworkCatalogue } from './network-catalogue.ts'

/** English. */
export const networkEn: NetworkCatalogue = {
  consent: {
    title: 'Use the network',
    text: 'Open connections to servers, exchange packets with them and accept connections, through the tunnel of your account.',
  },
  lead: 'It is about connections that the app opens itself. They count as your account’s use.',
  anyHost: 'The app names this host first. A yes covers every further host on the internet, until you remove it.',
  others: 'any other host',
  traffic: (formats, open, sent, received) =>
    `${formats.count(open, { one: '# connection', other: '# connections' })}, ${formats.bytes(sent)} out, ${formats.bytes(received)} in`,
  spent: time => `Daily limit reached until ${time}`,
  spentNotice: (host, time) => `Your account has reached its network limit of today. ${host} opens nothing new before ${time}.`,
  node: {
    title: 'Where shall this app’s network traffic go?',
    text: 'Fetches and connections of this app go through the place you choose. Sites see its address in place of yours.',
    legend: 'Place',
    now: 'used now',
    ends: 'Connections that are open end when you choose another place.',
    go: 'Use this place',
  },
  section: 'Network',
  text: 'What your apps sent and received through the tunnel. We count bytes per app and day, and keep no list of the sites.',
  none: 'No app has used the tunnel in the last 30 days.',
  failed: 'The use of the tunnel could not be read.',
  used: (used, limit) => `${used} of ${limit} used today`,
  usedFreely: used => `${used} used today, without a limit`,
  usedLabel: 'Used today',
  over: time => `The limit of today is reached: nothing new is opened, and what is open is slow. From ${time} (midnight UTC) all works again.`,
  rate: rate => `At most ${rate} a second`,
  plot: 'Bytes through the tunnel on each of the last 30 days.',
  plotSays: (formats, sum, most) => `${formats.bytes(sum)} together, at most ${formats.bytes(most)} on one day.`,
  app: (formats, sent, received) => `${formats.bytes(sent)} sent, ${formats.bytes(received)} received`,
  perDay: host => `Days of ${host}`,
  columns: { day: 'Day', sent: 'Sent', received: 'Received' },
}
