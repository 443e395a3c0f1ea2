import * as account from '@deputy/client/account'

/** In a click handler: the person signs in and connects this page. */
export async function signIn() {
  const signedIn = await account.login()
  return signedIn ? account.info() : null
}
