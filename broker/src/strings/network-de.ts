import type { NetworkCatalogue } from './network-catalogue.ts'

/** German. */
export const networkDe: NetworkCatalogue = {
  consent: {
    title: 'Das Netzwerk verwenden',
    text: 'Verbindungen zu Servern öffnen, Pakete mit ihnen austauschen und Verbindungen annehmen, durch den Tunnel Ihres Kontos.',
  },
  lead: 'Es geht um Verbindungen, die die App selbst öffnet. Sie zählen als Nutzung Ihres Kontos.',
  anyHost: 'Diesen Namen nennt die App zuerst. Ein Ja gilt für jeden weiteren im Internet, bis Sie es entfernen.',
  others: 'jeder andere',
  traffic: (formats, open, sent, received) =>
    `${formats.count(open, { one: '# Verbindung', other: '# Verbindungen' })}, ${formats.bytes(sent)} gesendet, ${formats.bytes(received)} empfangen`,
  spent: time => `Tagesgrenze erreicht bis ${time}`,
  spentNotice: (host, time) => `Ihr Konto hat seine Netzwerkgrenze für heute erreicht. ${host} öffnet vor ${time} nichts Neues.`,
  node: {
    title: 'Wohin soll der Netzverkehr dieser App gehen?',
    text: 'Abrufe und Verbindungen dieser App gehen durch den Ort, den Sie wählen. Andere sehen dessen Adresse statt Ihrer.',
    legend: 'Ort',
    now: 'jetzt verwendet',
    ends: 'Offene Verbindungen enden, wenn Sie einen anderen Ort wählen.',
    go: 'Diesen Ort verwenden',
  },
  section: 'Netzwerk',
  text: 'Was Ihre Apps durch den Tunnel gesendet und empfangen haben. Wir zählen Bytes je App und Tag und führen keine Liste der Gegenstellen.',
  none: 'Keine App hat in den letzten 30 Tagen den Tunnel verwendet.',
  failed: 'Die Nutzung des Tunnels konnte nicht gelesen werden.',
  used: (used, limit) => `Heute ${used} von ${limit} verwendet`,
  usedFreely: used => `Heute ${used} verwendet, ohne Grenze`,
  usedLabel: 'Heute verwendet',
  over: time => `Die Grenze für heute ist erreicht: Neues wird nicht geöffnet, Offenes ist langsam. Ab ${time} (Mitternacht UTC) geht alles wieder.`,
  rate: rate => `Höchstens ${rate} in der Sekunde`,
  plot: 'Bytes durch den Tunnel an jedem der letzten 30 Tage.',
  plotSays: (formats, sum, most) => `Zusammen ${formats.bytes(sum)}, an einem Tag höchstens ${formats.bytes(most)}.`,
  app: (formats, sent, received) => `${formats.bytes(sent)} gesendet, ${formats.bytes(received)} empfangen`,
  perDay: host => `Tage von ${host}`,
  columns: { day: 'Tag', sent: 'Gesendet', received: 'Empfangen' },
}
