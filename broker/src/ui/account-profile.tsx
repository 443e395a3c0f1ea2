import { updateProfile } from '@deputy/contract/api-accounts'
import type { RouteBody } from '@deputy/contract/api'
import { useState } from 'preact/hooks'
import type { Profile as AccountProfile } from '../sign-in/state.ts'
import { answered, useAccount } from './account-context.ts'
import { smallPicture } from './picture.ts'
import { fieldText, Form } from './sign-in-steps.tsx'
import { useSpeech } from './speech-context.ts'

/** Name and picture, which connected apps see. */
export const Profile = ({ profile, onChange }: { readonly profile: AccountProfile; readonly onChange: (profile: AccountProfile) => void }) => {
  const { text } = useSpeech()
  const { call, say } = useAccount()
  const [busy, setBusy] = useState(false)
  const update = async (change: RouteBody<typeof updateProfile>): Promise<void> => {
    setBusy(true)
    const outcome = await call(updateProfile, change)
    setBusy(false)
    if (answered(outcome)) onChange(outcome.value)
    say(answered(outcome) ? text.account.saved : text.account.failed, answered(outcome) ? 'calm' : 'warning')
  }
  const choose = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    const image = await smallPicture(file)
    if (image === null) say(text.account.pictureTooLarge, 'warning')
    else await update({ image })
  }
  return (
    <section class="panel" aria-labelledby="profile">
      <h2 id="profile">{text.account.sections.profile}</h2>
      <Form submit={values => void update({ name: fieldText(values, 'name').trim() })}>
        <div class="field">
          <label for="name">{text.account.name}</label>
          <div class="inline">
            <input class="input" id="name" name="name" required maxLength={100} autocomplete="name" defaultValue={profile.name} aria-describedby="name-hint" />
            <button type="submit" class="button plain" disabled={busy}>
              {text.common.save}
            </button>
          </div>
          <p class="hint" id="name-hint">
            {text.signIn.nameHint}
          </p>
        </div>
      </Form>
      <div class="inline">
        <label class="button plain file">
          {text.account.choosePicture}
          <input
            class="unseen"
            type="file"
            accept="image/png,image/jpeg,image/webp"
            disabled={busy}
            onChange={event => void choose(event.currentTarget.files?.[0])}
          />
        </label>
        {profile.image !== null && (
          <button type="button" class="button quiet" disabled={busy} onClick={() => void update({ image: null })}>
            {text.account.removePicture}
          </button>
        )}
      </div>
    </section>
  )
}
