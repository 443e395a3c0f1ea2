interface TrustedPolicy {
  createScriptURL(url: string): string
}
interface TrustedPolicies {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): TrustedPolicy
}

/**
 * The url of a script of our own build, as the content policy wants it where the browser enforces trusted types.
 * @throws {TypeError} for a url that is not below the page's own `/assets/`.
 */
export function ownScript(url: string): string {
  const check = (text: string): string => {
    if (!/^\/assets\/[\w.-]+$/.test(text)) throw new TypeError('not a script of this build')
    return text
  }
  policy ??= (globalThis as { trustedTypes?: TrustedPolicies }).trustedTypes?.createPolicy('deputy', { createScriptURL: check })
  return policy?.createScriptURL(url) ?? check(url)
}

let policy: TrustedPolicy | undefined
