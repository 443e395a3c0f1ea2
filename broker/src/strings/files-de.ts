import type { FilesCatalogue } from './files-catalogue.ts'

/** German, about files. */
export const filesDe: FilesCatalogue = {
  adopt: {
    title: 'Diese Dateien in Ihr Konto übernehmen?',
    text: 'Sie liegen nur auf diesem Gerät. In Ihrem Konto sind sie mit Ihren Schlüsseln versiegelt, und Sie erreichen sie auch von Ihren anderen Geräten.',
    amount: (formats, files, bytes) => `${formats.count(files, { one: '# Datei', other: '# Dateien' })}, ${formats.bytes(bytes)}`,
    go: 'In mein Konto übernehmen',
    working: 'Ihre Dateien werden übernommen',
    progress: (formats, done, files) => `${formats.count(done, { other: '#' })} von ${formats.count(files, { one: '# Datei', other: '# Dateien' })}`,
    failed: 'Das hat nicht bei allen Dateien geklappt. Die übrigen bleiben auf diesem Gerät.',
  },
  conflict: {
    title: 'Welche Fassung soll bleiben?',
    text: 'Diese Datei wurde hier und auf einem anderen Gerät zugleich geändert. Wählen Sie eine, überschreibt sie die andere; oder behalten Sie vorerst beide.',
    file: 'Datei',
    here: 'Auf diesem Gerät',
    account: 'In Ihrem Konto',
    unknownTime: 'Zeit unbekannt',
    keepHere: 'Die dieses Geräts behalten',
    keepAccount: 'Die des Kontos behalten',
    both: 'Vorerst beide behalten',
  },
}
