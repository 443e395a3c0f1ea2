/** The worker of the suite: runs the cases over the link its page relays. */
import { fetchValues, learn, workerLink } from '@deputy/channel'
import { runCases } from './run-cases.ts'
import { peer } from './peer.ts'

learn(fetchValues)
const link = workerLink({ wants: peer })
const own: unknown[] = []
addEventListener('message', event => {
  own.push(event.data)
  if (event.data === 'hold')
    void link
      .within(10_000)
      .then(remote => remote.add(1, 1))
      .then(postMessage)
  if (event.data !== 'run') return
  const run = async () => postMessage({ results: await runCases(link), own: own.length })
  void run()
})
