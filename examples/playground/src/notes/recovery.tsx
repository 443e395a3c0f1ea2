/** The walk to one's notes when every device is lost. */
export function Recovery() {
  const account = `${BROKER_ORIGIN}/account`
  return (
    <section class="panel" aria-labelledby="recovery">
      <h2 id="recovery">If every device is lost</h2>
      <p class="lead">
        Nobody but you can open your notes, so nobody but you can bring them back. It takes the recovery code you kept when you made your account.
      </p>
      <ol class="walk">
        <li>
          Before: look whether you have the code still, and make another one if not, under <a href={`${account}#recovery`}>Recovery code</a>.
        </li>
        <li>
          On the new device, open this page and sign in. Choose “Other ways to sign in”, then “Use my recovery code”. It opens the notes, and you get the next
          code.
        </li>
        <li>
          Add a passkey of that device: it is asked for at once, and later under <a href={`${account}#passkeys`}>Passkeys</a>.
        </li>
        <li>
          Was a device stolen? Remove its passkey. That renews <a href={`${account}#encryption`}>your keys</a>, and what you write from then on is closed to it.
          Your other devices ask to be unlocked once.
        </li>
      </ol>
    </section>
  )
}
