/** Where a recovery code is typed; it is the form's `recovery`. */
export const RecoveryField = ({ id, label }: { readonly id: string; readonly label: string }) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input class="input code" id={id} name="recovery" required autocomplete="off" autocapitalize="off" spellcheck={false} maxLength={100} dir="ltr" />
  </div>
)
