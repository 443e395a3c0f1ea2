import { useId, useRef, useState } from 'preact/hooks'
import { fieldText, Form } from './sign-in-steps.tsx'
import { useSpeech } from './speech-context.ts'

const units = [
  ['kB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
] as const

/** The largest unit the size is at least one of. */
const unitFor = (cap: number): number => units.findLast(([, size]) => cap >= size)?.[1] ?? units[0][1]

/** A button that opens the size limit of a room in place, and takes it up when it is saved. */
export const RoomLimit = ({ title, cap, set }: { readonly title: string; readonly cap: number; readonly set: (cap: number | null) => Promise<void> }) => {
  const { text } = useSpeech()
  const [open, setOpen] = useState(false)
  const [busy, setBusy] = useState(false)
  const groupRef = useRef<HTMLDivElement>(null)
  const id = useId()
  const turn = (next: boolean): void => {
    setOpen(next)
    setTimeout(() => groupRef.current?.querySelector<HTMLElement>('input, button')?.focus())
  }
  const take = async (next: number | null): Promise<void> => {
    setBusy(true)
    await set(next)
    setBusy(false)
    turn(false)
  }
  const submit = (values: FormData): void => {
    const size = Math.round(Number(fieldText(values, 'size')) * Number(fieldText(values, 'unit')))
    if (size >= 1) void take(size)
  }
  return (
    <div ref={groupRef} class={open ? 'room-limit open' : 'room-limit'} role="group" aria-label={text.rooms.limitOf(title)}>
      {open ? (
        <Form submit={submit}>
          <div class="field">
            <label for={`${id}-size`}>{text.rooms.limitLabel}</label>
            <div class="inline">
              <input
                class="input"
                id={`${id}-size`}
                name="size"
                type="number"
                inputMode="decimal"
                required
                min="0.001"
                max="1000000"
                step="any"
                defaultValue={String(cap / unitFor(cap))}
                aria-describedby={`${id}-hint`}
              />
              <select class="input unit" name="unit" aria-label={text.rooms.unit}>
                {units.map(([name, size]) => (
                  <option key={name} value={size} selected={size === unitFor(cap)}>
                    {name}
                  </option>
                ))}
              </select>
            </div>
            <p class="hint" id={`${id}-hint`}>
              {text.rooms.limitHint}
            </p>
          </div>
          <div class="inline">
            <button type="submit" class="button primary" disabled={busy}>
              {text.common.save}
            </button>
            <button type="button" class="button plain" disabled={busy} onClick={() => void take(null)}>
              {text.rooms.usualLimit}
            </button>
            <button type="button" class="button plain" onClick={() => turn(false)}>
              {text.common.cancel}
            </button>
          </div>
        </Form>
      ) : (
        <button type="button" class="button quiet" aria-label={text.rooms.limitOf(title)} onClick={() => turn(true)}>
          {text.rooms.limit}
        </button>
      )}
    </div>
  )
}
