import type { FilesCatalogue } from './files-catalogue.ts'

/** English, about files. */
export const filesEn: FilesCatalogue = {
  adopt: {
    title: 'Keep these files in your account?',
    text: 'They are on this device only. In your account they are sealed with your keys, and you reach them from your other devices as well.',
    amount: (formats, files, bytes) => `${formats.count(files, { one: '# file', other: '# files' })}, ${formats.bytes(bytes)}`,
    go: 'Keep in my account',
    working: 'Moving your files',
    progress: (formats, done, files) => `${formats.count(done, { other: '#' })} of ${formats.count(files, { one: '# file', other: '# files' })}`,
    failed: 'That did not work for all files. Those that are left stay on this device.',
  },
  conflict: {
    title: 'Which version shall stay?',
    text: 'This file was changed here and on another device at the same time. Choose one and it overwrites the other, or keep both for now.',
    file: 'File',
    here: 'On this device',
    account: 'In your account',
    unknownTime: 'Time unknown',
    keepHere: 'Keep this device’s',
    keepAccount: 'Keep the account’s',
    both: 'Keep both for now',
  },
}
