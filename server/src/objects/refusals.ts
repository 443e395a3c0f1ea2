import { refuse } from '../http/handler.ts'

/** One answer for an object never made, deleted, still uploading or somebody else's upload. */
export const noObject = refuse('not-found', 'there is no such object')
