import { served } from './broker.ts'

/** Whether a newer broker waits to be applied (SHL-1). */
export async function updateReady(): Promise<boolean> {
  return (await served('shell')).updateReady()
}

/** Applies it: the broker's frame reloads, and what this page had open with it ends `unavailable`. `false` when there is none. */
export async function applyUpdate(): Promise<boolean> {
  return (await served('shell')).applyUpdate()
}

/** Calls `listener` when a newer broker becomes ready. Answers the unsubscribe function. */
export async function onUpdate(listener: () => void): Promise<() => void> {
  const off = await (await served('shell')).onUpdate(listener)
  return () => void off()
}

/** Calls `listener` once a newer broker has taken over. Answers the unsubscribe function at once. */
export function onUpdateTaken(listener: () => void): () => void {
  const registration = served('shell').then(shell => shell.onUpdateTaken(listener))
  // Nobody awaits the registration; a broker that cannot be reached takes no update either.
  registration.catch(() => undefined)
  return () => void registration.then(off => off()).catch(() => undefined)
}
