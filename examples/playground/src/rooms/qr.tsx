import { useEffect, useState } from 'preact/hooks'

/** The text as a QR code, dark on light in every scheme, for cameras. What draws it is loaded when it is first wanted. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const [drawn, setDrawn] = useState<{ readonly size: number; readonly path: string } | null>(null)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    let current = true
    const draw = async () => {
      const { encode } = await import('uqr')
      const { data, size } = encode(text, { ecc: 'M', border: 4 })
      const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
      if (current) setDrawn({ size, path })
    }
    draw().catch(() => current && setFailed(true))
    return () => void (current = false)
  }, [text])
  if (failed) return <p class="problem">The code could not be drawn. Copy the link instead.</p>
  if (drawn === null) return <div class="qr" aria-busy="true" />
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${drawn.size} ${drawn.size}`} shape-rendering="crispEdges">
      <rect width={drawn.size} height={drawn.size} fill="#fff" />
      <path d={drawn.path} fill="#000" />
    </svg>
  )
}
