import type { FileBlobRow } from '../rows/file-schema.ts'

const mostParts = 9000

/** Bytes of each part but the last of an upload of `size` bytes: about `part`, more where there would be over 9,000. */
export const partBytesOf = (size: number, part: number): number => Math.max(part, Math.ceil(size / mostParts))

type Cut = Pick<FileBlobRow, 'size' | 'part_bytes'>

/** How many parts an upload has. */
export const partsOf = ({ size, part_bytes: partBytes }: Cut): number => Math.ceil(size / partBytes)

/** Bytes of one part; 0 for one the upload does not have. */
export const sizeOfPart = ({ size, part_bytes: partBytes }: Cut, part: number): number => Math.min(partBytes, Math.max(0, size - part * partBytes))

/** Bytes of every part, in order. */
export const sizesOf = (cut: Cut): number[] => Array.from({ length: partsOf(cut) }, (_, part) => sizeOfPart(cut, part))
