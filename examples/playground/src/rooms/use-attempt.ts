import { useCallback, useState } from 'preact/hooks'
import { inWords } from './refusals.ts'

/** Runs one thing at a time for a person and keeps what was refused, in words. */
export function useAttempt() {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const attempt = useCallback(async (run: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setProblem(null)
    try {
      await run()
      return true
    } catch (error) {
      setProblem(inWords(error))
      return false
    } finally {
      setBusy(false)
    }
  }, [])
  return { busy, problem, attempt }
}
