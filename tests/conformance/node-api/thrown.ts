/** Name and code of what is thrown, or `nothing`. */
export function thrown(run: () => unknown): string {
  const error = errorOf(run)
  return error === null ? 'nothing' : `${error.name} ${error.code}`
}

/** Code of what is thrown, or `nothing`. */
export function codeThrown(run: () => unknown): string | undefined {
  const error = errorOf(run)
  return error === null ? 'nothing' : error.code
}

function errorOf(run: () => unknown): NodeJS.ErrnoException | null {
  try {
    run()
    return null
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}
