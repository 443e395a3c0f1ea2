import type { ComponentChildren } from 'preact'

/** Says that something is waited for, with dots that move. */
export const WaitingLine = ({ soft = false, children }: { readonly soft?: boolean; readonly children: ComponentChildren }) => (
  <p class={soft ? 'waiting soft' : 'waiting'}>
    <span class="dots" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
    {children}
  </p>
)
