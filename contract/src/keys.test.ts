import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as keys from './keys.ts'

test('ATT-15: channel keys and message names are these strings', () => {
  assert.deepEqual(
    { ...keys },
    {
      ATTACH_FRAME_KEY: 'svc-attach-frame',
      ATTACH_WINDOW_KEY: 'svc-attach-window',
      ATTACH_FRAME_EVENT_KEY: 'SVC_WEB_EXTENSION_ATTACH_FRAME_EVENT_KEY',
      ATTACH_WINDOW_MESSAGE: {
        hello: 'svc-attach-window',
        detach: 'svc-attach-window-detach',
        gone: 'svc-attach-window-gone',
        refused: 'svc-attach-window-refused',
      },
      FRAME_MESSAGE: 'svc-frame-message',
      JAR_ANCHOR_MESSAGE: { hello: 'svc-jar-hello', host: 'svc-jar-host', port: 'svc-jar-port', ready: 'svc-jar-ready', who: 'svc-jar-who' },
      SHELL_CONTROL_KEY: 'sdbx-control',
      SHELL_FRAME_MESSAGE: 'sdbx-frame-message',
      SHELL_ATTACH_ERROR: 'sdbx-attach-error',
      SHELL_JAR_MESSAGE: { mode: 'sdbx-jar-mode', port: 'sdbx-jar-port', request: 'sdbx-jar-request' },
    },
  )
})
