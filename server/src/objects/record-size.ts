/** Plain bytes of a full record. */
export const recordBytes = 2 ** 20
/** Bytes each record adds when sealed: a 12-byte nonce and a 16-byte tag. */
export const recordOverhead = 28
const sealedRecord = recordBytes + recordOverhead
const mostParts = 9000

/** Records of an object of `size` plain bytes; an empty one has one. */
export const recordsOf = (size: number): number => Math.max(1, Math.ceil(size / recordBytes))

/** Bytes of the object as stored, which is what it counts for. */
export const sealedSize = (size: number): number => size + recordOverhead * recordsOf(size)

/** Whole records in each part but the last: about `part` plain bytes, more where the object would have over 9,000 parts. */
export const recordsPerPart = (size: number, part: number): number => Math.max(1, Math.floor(part / recordBytes), Math.ceil(recordsOf(size) / mostParts))

/** How an object is cut into upload parts. */
export interface Cut {
  /** Sealed bytes of each part but the last. */
  readonly partBytes: number
  readonly parts: number
  readonly recordsPerPart: number
  /** Sealed bytes of the whole. */
  readonly total: number
}

/** Cuts an object of `size` plain bytes into parts of `perPart` records. */
export const cutOf = (size: number, perPart: number): Cut => ({
  partBytes: perPart * sealedRecord,
  parts: Math.ceil(recordsOf(size) / perPart),
  recordsPerPart: perPart,
  total: sealedSize(size),
})

/** Sealed bytes of one part; 0 for one the object does not have. */
export const sizeOfPart = (cut: Cut, part: number): number => (part < cut.parts - 1 ? cut.partBytes : Math.max(0, cut.total - part * cut.partBytes))

/** Sealed bytes of every part, in order. */
export const sizesOf = (cut: Cut): number[] => Array.from({ length: cut.parts }, (_, part) => sizeOfPart(cut, part))
