/** Stands in the broker's partition for `tunnel-browser.ts`: keeps what connecting and a yes would keep. */
import { keep, serve } from './bench-frame.ts'

serve(keep)
