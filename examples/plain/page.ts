import { account, storage } from '@deputy/client'

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T
const out = element<HTMLOutputElement>('out')

element<HTMLButtonElement>('sign-in').addEventListener('click', async () => {
  const signedIn = await account.login()
  out.value = signedIn ? `Hello, ${(await account.info())?.name}` : 'Not signed in.'
})

element<HTMLInputElement>('file').addEventListener('change', async event => {
  const file = (event.currentTarget as HTMLInputElement).files?.[0]
  if (file === undefined) return
  try {
    const { url, key } = await storage.put(file, { onProgress: ({ loaded, total }) => (out.value = `${loaded} of ${total} bytes`) })
    out.value = `Stored at ${url}. Keep the key: ${key}`
  } catch (error) {
    out.value = error instanceof storage.StorageError ? `${error.code}: ${error.message}` : String(error)
  }
})
