import type { PermissionRegistry } from '@deputy/contract/permissions'
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks'
import type { Grant } from '../consent/grants.ts'
import type { LiveSockets } from '../webvpn/live-sockets.ts'
import { Mark } from './brand.tsx'
import { titleOf } from './consent-row.tsx'
import { useFrame } from './frame-context.ts'
import { Icon } from './icons.tsx'
import { useSpeech } from './speech-context.ts'
import { useChange } from './use-change.ts'

/** What the bar shows and does. */
export interface GrantsBarProps {
  readonly host: string
  readonly grants: readonly Grant[]
  readonly registry: PermissionRegistry
  readonly folded: boolean
  readonly fold: (folded: boolean) => void
  readonly remove: (grant: Grant) => void
  /** The app's connections through the tunnel, shown beside their grant. */
  readonly sockets?: LiveSockets | undefined
}

/** The bar docked at the top: what the app may do now, each with its removal (CNS-5). Folds into a pill. */
export const GrantsBar = (props: GrantsBarProps) => {
  if (props.grants.length === 0) return null
  return props.folded ? <Pill {...props} /> : <Bar {...props} />
}

const Bar = ({ host, grants, registry, fold, remove, sockets }: GrantsBarProps) => {
  const { overlay } = useFrame()
  const { text, formats } = useSpeech()
  const ref = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const surface = ref.current === null ? undefined : overlay.show('bar', ref.current, { docked: true })
    return () => surface?.close()
  }, [overlay])
  return (
    <section ref={ref} class="bar surface" aria-label={text.bar.label}>
      <Mark />
      <p class="bar-summary">
        <bdi>{text.bar.summary(host, grants.length, formats)}</bdi>
      </p>
      <ul class="chips">
        {grants.map(grant => {
          const { title } = titleOf(grant.subject, registry.descriptors, text)
          const hosts = formats.list('group' in grant.subject ? [...grant.hosts, text.network.others] : grant.hosts)
          return (
            <li key={grant.id} class={'key' in grant.subject ? 'chip strong' : 'chip'}>
              <span class="chip-text">
                <span class="chip-title">{title}</span>
                <bdi class="chip-hosts" dir="ltr" title={hosts}>
                  {'group' in grant.subject ? hosts : grant.hosts.length > 1 ? `${grant.hosts[0]} +${grant.hosts.length - 1}` : grant.hosts[0]}
                </bdi>
                {'group' in grant.subject && sockets !== undefined && <LiveTraffic sockets={sockets} />}
              </span>
              <button type="button" class="button icon-only" aria-label={text.bar.remove(title, hosts)} onClick={() => remove(grant)}>
                <Icon name="cross" />
              </button>
            </li>
          )
        })}
      </ul>
      <button type="button" class="button icon-only fold" aria-label={text.bar.collapse} aria-expanded="true" onClick={() => fold(true)}>
        <Icon name="fold" />
      </button>
    </section>
  )
}

/** How many connections there are, what passed, and whether the account has reached its limit; read where it stands, never spoken by itself. */
const LiveTraffic = ({ sockets }: { readonly sockets: LiveSockets }) => {
  const { text, formats } = useSpeech()
  useChange(useCallback(listener => sockets.onChange(listener), [sockets]))
  const { open, sent, received, spentUntil } = sockets.traffic()
  return (
    <>
      <span class="chip-traffic">{text.network.traffic(formats, open, sent, received)}</span>
      {spentUntil !== null && <span class="chip-spent">{text.network.spent(formats.time(spentUntil))}</span>}
    </>
  )
}

const Pill = ({ grants, fold }: GrantsBarProps) => {
  const { overlay } = useFrame()
  const { text, formats } = useSpeech()
  const ref = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const surface = ref.current === null ? undefined : overlay.show('pill', ref.current)
    return () => surface?.close()
  }, [overlay])
  return (
    <button ref={ref} type="button" class="pill surface" aria-expanded="false" aria-label={text.bar.expand(grants.length, formats)} onClick={() => fold(false)}>
      <Mark />
      <span>{formats.count(grants.length, { other: '#' })}</span>
    </button>
  )
}
