/** A token bucket: so many a second, and a few more at once. */
export interface Bucket {
  left: number
  at: number
}

/** A full bucket. */
export const fullBucket = (burst: number, now: number): Bucket => ({ left: burst, at: now })

/** Takes one token; false when there is none. */
export function take(bucket: Bucket, rate: number, burst: number, now: number): boolean {
  bucket.left = Math.min(burst, bucket.left + (Math.max(0, now - bucket.at) * rate) / 1000)
  bucket.at = now
  if (bucket.left < 1) return false
  bucket.left -= 1
  return true
}
