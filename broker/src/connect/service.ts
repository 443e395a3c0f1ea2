import type { connect } from '@deputy/contract/connect'
import type { Served } from '@deputy/contract/shape'
import type { AppIdentity } from '../app-identity.ts'
import type { Connecting } from '../connecting/connecting.ts'
import { checkConsumer } from '../own-origin.ts'

/** The `connect` namespace for one app. */
export const connectService = ({ app, connecting }: { readonly app: AppIdentity; readonly connecting: Connecting }): Served<typeof connect> => ({
  prompt: async consumerOrigin => {
    checkConsumer(app, consumerOrigin, 'connect.prompt')
    return connecting.connect('connect')
  },
})
