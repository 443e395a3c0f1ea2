const least = [22, 13] as const

/** Why this version of Node cannot run Deputy, in words; null when it can. */
export function nodeFault(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const enough = major > least[0] || (major === least[0] && minor >= least[1])
  return enough
    ? null
    : `Deputy needs Node ${least.join('.')} or newer, this is ${version}. Install Node 24, or run it as "npm start" in the project, which brings its own.`
}
