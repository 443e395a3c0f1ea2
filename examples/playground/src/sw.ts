import { answerMedia, type MediaFetchEvent } from '@deputy/client/media-worker'

interface WorkerScope {
  skipWaiting(): Promise<void>
  readonly clients: { claim(): Promise<void> }
  addEventListener(type: 'install' | 'activate', listener: (event: { waitUntil(promise: Promise<unknown>): void }) => void): void
  addEventListener(type: 'fetch', listener: (event: MediaFetchEvent) => void): void
}
const scope = self as unknown as WorkerScope

scope.addEventListener('install', event => event.waitUntil(scope.skipWaiting()))
scope.addEventListener('activate', event => event.waitUntil(scope.clients.claim()))
scope.addEventListener('fetch', event => void answerMedia(event))
