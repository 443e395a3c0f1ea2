import { answerMedia, type MediaFetchEvent } from '@deputy/client/media-worker'
import { answerOffline, keepPage } from './kit/offline.ts'

interface WorkerScope {
  skipWaiting(): Promise<void>
  readonly clients: { claim(): Promise<void> }
  addEventListener(type: 'install' | 'activate', listener: (event: { waitUntil(promise: Promise<unknown>): void }) => void): void
  addEventListener(type: 'fetch', listener: (event: MediaFetchEvent) => void): void
}
const scope = self as unknown as WorkerScope

scope.addEventListener('install', event => event.waitUntil(keepPage().then(() => scope.skipWaiting())))
scope.addEventListener('activate', event => event.waitUntil(scope.clients.claim()))
scope.addEventListener('fetch', event => {
  if (!answerMedia(event)) answerOffline(event)
})
