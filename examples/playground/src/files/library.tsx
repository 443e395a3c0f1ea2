import type { StoredObject } from '@deputy/client/storage'
import { useEffect, useState } from 'preact/hooks'
import { Demo, Problem } from '../kit/demo.tsx'
import { Evidence } from './evidence.tsx'
import { bytes, moment } from '../kit/format.ts'
import { forget, objects } from './library-code.ts'
import code from 'raw:./library-code.ts'

export function Library({ enabled, version }: { readonly enabled: boolean; readonly version: number }) {
  const [found, setFound] = useState<readonly StoredObject[] | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    setFound(null)
    if (!enabled) return
    let current = true
    const load = async () => {
      const all: StoredObject[] = []
      for await (const object of objects()) all.push(object)
      if (current) setFound(all)
    }
    load().catch(caught => current && setError(caught))
    return () => void (current = false)
  }, [enabled, version])

  const remove = async (url: string) => {
    try {
      await forget(url)
      setFound(list => list?.filter(object => object.url !== url) ?? null)
    } catch (caught) {
      setError(caught)
    }
  }

  return (
    <Demo
      title="List, inspect, delete"
      lead="What this page has stored for you, and what really left the browser: sizes, ids and sealed bytes. Names, types and keys are not among them."
      code={code}
    >
      {!enabled ? <p class="empty">Sign in to see what this page has stored.</p> : null}
      {enabled && found === null && error === null ? <p class="empty">Loading…</p> : null}
      {found?.length === 0 ? <p class="empty">Nothing yet. Share a file above.</p> : null}
      <ul class="objects">
        {found?.map(object => (
          <li key={object.url}>
            <div class="row">
              <span class="id">{object.url.slice(object.url.lastIndexOf('/') + 1)}</span>
              <span>{bytes(object.size)}</span>
              <span>{object.status === 'ready' ? moment(object.created) : 'uploading'}</span>
              <button class="danger" onClick={() => void remove(object.url)} aria-label={`Delete ${object.url.slice(-12)}`}>
                Delete
              </button>
            </div>
            {object.status === 'ready' ? <Evidence object={object} /> : null}
          </li>
        ))}
      </ul>
      <Problem error={error} />
    </Demo>
  )
}
