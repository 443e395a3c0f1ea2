import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** One capability: what it does, the demo itself, and the very code that runs. */
export function Demo(props: {
  /** The name links lead to it by. */
  readonly id?: string
  readonly title: string
  readonly lead: string
  readonly code: string
  readonly children: ComponentChildren
}) {
  const id = useId()
  return (
    <section id={props.id} class="demo" aria-labelledby={id}>
      <div class="try">
        <h2 id={id}>{props.title}</h2>
        <p class="lead">{props.lead}</p>
        {props.children}
      </div>
      <Code title="The code" code={props.code} open={matchMedia('(min-width: 62rem)').matches} />
    </section>
  )
}

/** The very code that runs, to be unfolded. */
export function Code({ title, code, open = false }: { readonly title: string; readonly code: string; readonly open?: boolean }) {
  return (
    <details class="code" open={open}>
      <summary>{title}</summary>
      <pre dir="ltr">
        <code>{code.trim()}</code>
      </pre>
    </details>
  )
}

/** What went wrong, in the words of the library. */
export function Problem({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null
  const { code, message } = error as { code?: string; message?: string }
  return (
    <p class="problem" role="alert">
      {code === undefined ? null : <code>{code}</code>} {message ?? 'Something went wrong.'}
    </p>
  )
}
