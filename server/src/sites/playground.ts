import type { Serve } from '../http/dispatch.ts'
import type { Services } from '../services.ts'
import { fileAnswer, siteFolder } from './folder.ts'
import { playgroundHeaders } from './headers.ts'
import { methodNotAllowed, notFound } from './plain.ts'

/** Serves the playground; a path without a file of its own shows the index. */
export function playgroundSite({ config, origins }: Pick<Services, 'config' | 'origins'>): Serve {
  const folder = siteFolder(config.sites.playground)
  const headers = playgroundHeaders(origins)
  return async request => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed(headers)
    const path = new URL(request.url).pathname.slice(1)
    const file = (await folder.read(path)) ?? (path.includes('.') ? null : await folder.read('index.html'))
    return file === null ? notFound(headers) : fileAnswer(file, request, headers)
  }
}
