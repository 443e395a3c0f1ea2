import type { AccountFilesCatalogue } from './account-files-catalogue.ts'

/** German, about the files of apps. */
export const accountFilesDe: AccountFilesCatalogue = {
  section: 'Dateien der Apps',
  text: 'Was Apps für Sie aufbewahren. Inhalte und Namen sind mit Ihren Schlüsseln versiegelt: Wir sehen, wie viele Dateien es sind, ihre Größen und Zeiten, und sonst nichts.',
  none: 'Keine App bewahrt Dateien auf.',
  failed: 'Ihre Dateien konnten nicht gelesen werden.',
  usageLabel: 'Von Dateien der Apps belegter Platz',
  used: (used, limit) => `${used} von ${limit} belegt`,
  plot: 'Die letzten 30 Tage',
  plotSays: (formats, first, last, most) => `Von ${formats.bytes(first)} auf ${formats.bytes(last)}, höchstens ${formats.bytes(most)}`,
  holds: (formats, files, bytes) => `${formats.count(files, { one: '# Datei', other: '# Dateien' })}, ${formats.bytes(bytes)}`,
  show: 'Dateien zeigen',
  showOf: host => `Dateien zeigen, ${host}`,
  hide: 'Dateien ausblenden',
  hideOf: host => `Dateien ausblenden, ${host}`,
  deleteAll: 'Alle löschen',
  deleteAllOf: host => `Alle löschen, ${host}`,
  deleteAllSure: host => `Alle Dateien von ${host} endgültig löschen?`,
  locked: 'Entsperren Sie Ihre Dateien, um ihre Namen zu sehen und sie herunterzuladen.',
  unlock: 'Entsperren',
  opening: 'Die Liste wird geöffnet …',
  unread: (formats, files) =>
    formats.count(files, {
      one: '# Datei lässt sich nicht öffnen: Sie ist nicht, was Ihre App gespeichert hat, oder beschädigt.',
      other: '# Dateien lassen sich nicht öffnen: Sie sind nicht, was Ihre App gespeichert hat, oder beschädigt.',
    }),
  unopened: 'Eine Datei, die sich nicht öffnen lässt',
  download: 'Herunterladen',
  downloadOf: path => `${path} herunterladen`,
  downloadAll: 'Alle als Zip herunterladen',
  packing: (formats, done, files) => `${formats.count(done, { other: '#' })} von ${formats.count(files, { one: '# Datei', other: '# Dateien' })}`,
  packingLabel: 'Ihre Dateien werden gepackt',
  stop: 'Abbrechen',
  delete: 'Löschen',
  deleteOf: path => `${path} löschen`,
  deleteSure: 'Endgültig löschen?',
  more: (formats, left) => `${formats.count(left, { one: '# weitere', other: '# weitere' })} zeigen`,
  archive: host => `Dateien von ${host}`,
  again: {
    left: (formats, files) =>
      formats.count(files, {
        one: '# Datei ist noch mit einem älteren Schlüssel versiegelt.',
        other: '# Dateien sind noch mit einem älteren Schlüssel versiegelt.',
      }),
    text: 'Apps versiegeln ihre Dateien nach und nach neu, während sie offen sind. Bis dahin öffnet sie auch der ältere Schlüssel, den ein entferntes Gerät noch haben kann.',
    go: 'Jetzt neu versiegeln',
    label: 'Dateien werden neu versiegelt',
    stop: 'Anhalten',
    done: 'Ihre Dateien sind mit Ihrem neuesten Schlüssel versiegelt.',
    stopped: 'Angehalten. Was neu versiegelt ist, bleibt es, und der Rest kann später folgen.',
    failed: 'Nicht alle Dateien wurden neu versiegelt. Versuchen Sie es noch einmal.',
    keysChanged: 'Ihre Schlüssel wurden inzwischen erneuert. Beginnen Sie noch einmal.',
    locked: 'Dateien können neu versiegelt werden, sobald Ihre Schlüssel entsperrt sind.',
    broken: (formats, files) =>
      formats.count(files, {
        one: '# Datei lässt sich nicht öffnen und bleibt, wie sie ist.',
        other: '# Dateien lassen sich nicht öffnen und bleiben, wie sie sind.',
      }),
    noRoom: (formats, files) =>
      formats.count(files, {
        one: 'Für # große Datei war kein Platz: Sie braucht ihn noch einmal, bis sie fertig ist.',
        other: 'Für # große Dateien war kein Platz: Jede braucht ihn noch einmal, bis sie fertig ist.',
      }),
  },
  done: {
    deleted: 'Die Datei wurde gelöscht.',
    deletedAll: 'Die Dateien der App wurden gelöscht.',
    saved: 'Heruntergeladen.',
    notSaved: 'Das Herunterladen hat nicht geklappt. Vielleicht hat sich eine Datei inzwischen geändert oder lässt sich nicht öffnen.',
  },
}
