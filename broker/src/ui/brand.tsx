/** The mark: a shield with a keyhole. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
    <path class="mark-shield" d="M16 2.5 27 6.4v8.9c0 6.7-4.4 11.6-11 14.2C9.400 26.900 5 22 5 15.300V6.400Z" />
    <path class="mark-hole" d="M16 9.500a3.600 3.600 0 0 1 1.900 6.660l1.100 5.340h-6l1.100-5.340A3.600 3.600 0 0 1 16 9.500Z" />
  </svg>
)

/** The mark with the product's name. */
export const Brand = ({ product }: { readonly product: string }) => (
  <p class="brand">
    <Mark />
    <span>{product}</span>
  </p>
)
