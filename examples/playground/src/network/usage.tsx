import { useCallback, useEffect, useState } from 'preact/hooks'
import { Demo } from '../kit/demo.tsx'
import { bytes, clock } from '../kit/format.ts'
import { dayEnd } from './refusals.ts'
import { Trouble } from './trouble.tsx'
import { chooseNode, usage } from './usage-code.ts'
import code from 'raw:./usage-code.ts'

type Quota = Awaited<ReturnType<typeof usage>>
const everyMs = 3000
/** Said where nothing limits. */
const unlimited = Number.MAX_SAFE_INTEGER

/** What the account used of the tunnel today, and what is left. */
export function Usage({ enabled }: { readonly enabled: boolean }) {
  const [quota, setQuota] = useState<Quota | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [node, setNode] = useState<string | null>(null)
  const read = useCallback(async () => {
    try {
      setQuota(await usage())
      setError(null)
    } catch (caught) {
      setError(caught)
    }
  }, [])
  useEffect(() => {
    setQuota(null)
    setError(null)
    if (!enabled) return
    void read()
    const timer = setInterval(() => document.visibilityState === 'visible' && void read(), everyMs)
    return () => clearInterval(timer)
  }, [enabled, read])
  const choose = () =>
    chooseNode().then(chosen => setNode(chosen === null ? 'You chose none: the service does.' : `Node ${chosen} is used from now on.`), setError)
  return (
    <Demo
      id="usage"
      title="What you have used"
      lead="The tunnel counts bytes of each app and day for your account, both ways; your account page shows every day of it."
      code={code}
    >
      {!enabled ? <p class="empty">Sign in to see what you have used.</p> : null}
      {enabled && quota === null && error === null ? <p class="empty">Looking…</p> : null}
      {quota === null ? null : <Numbers quota={quota} />}
      <Trouble error={error} />
      {enabled ? (
        <div class="row">
          <button onClick={() => void choose()}>Choose the node</button>
          <a class="button" href={`${BROKER_ORIGIN}/account#network`}>
            Open my account
          </a>
          <span class="status" role="status">
            {node}
          </span>
        </div>
      ) : null}
    </Demo>
  )
}

function Numbers({ quota: { bytesPerSecond, limitBytes, overQuota, premium, remaining, usedBytes } }: { readonly quota: Quota }) {
  const isLimited = limitBytes < unlimited
  return (
    <>
      {isLimited ? <meter aria-label="Used today" min={0} max={limitBytes} high={limitBytes * 0.9} optimum={0} value={usedBytes} /> : null}
      <dl class="numbers">
        <div>
          <dt>Used today</dt>
          <dd data-used={usedBytes}>{bytes(usedBytes)}</dd>
        </div>
        <div>
          <dt>Left</dt>
          <dd>{isLimited ? bytes(remaining) : 'as much as you like'}</dd>
        </div>
        <div>
          <dt>Limit of a day</dt>
          <dd>{isLimited ? bytes(limitBytes) : 'none'}</dd>
        </div>
        <div>
          <dt>Speed</dt>
          <dd>{bytesPerSecond < unlimited ? `at most ${bytes(bytesPerSecond)} a second` : 'as fast as it goes'}</dd>
        </div>
        <div>
          <dt>Account</dt>
          <dd>{premium ? 'premium' : 'ordinary'}</dd>
        </div>
      </dl>
      {overQuota ? (
        <p class="problem" role="alert">
          <code>quota</code> You have used what you may today: nothing new is opened, and what is open is slow. All works again from {clock(dayEnd())} (midnight
          UTC).
        </p>
      ) : null}
    </>
  )
}
