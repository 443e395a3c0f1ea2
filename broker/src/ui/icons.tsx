/** Line drawings on a 20 unit grid, in the colour of the text. */
const paths = {
  interaction:
    'M8 3v8l-2-1.500a1.400 1.400 0 0 0-1.700 2.200L8.500 17h5a2.500 2.500 0 0 0 2.500-2.500V9.500a1.300 1.300 0 0 0-2.700 0a1.300 1.300 0 0 0-2.600 0V3a1.350 1.350 0 0 0-2.700 0Z',
  storage:
    'M4 5.500C4 4.100 6.700 3 10 3s6 1.100 6 2.500S13.300 8 10 8 4 6.900 4 5.500Zm0 0v9C4 15.900 6.700 17 10 17s6-1.100 6-2.500v-9M4 10c0 1.400 2.700 2.500 6 2.500s6-1.100 6-2.500',
  network: 'M10 3a7 7 0 1 0 0 14a7 7 0 0 0 0-14Zm-7 7h14M10 3c2 2 3 4.500 3 7s-1 5-3 7c-2-2-3-4.500-3-7s1-5 3-7Z',
  evaluation: 'm7 6-4 4 4 4m6-8 4 4-4 4m-1.500-10-3 12',
  warning: 'M10 3.500 17.500 16.500H2.500ZM10 8v4m0 2.200v.300',
  check: 'm4 10.500 4 4 8-9',
  lock: 'M5 9.500h10v7H5Zm2 0V7a3 3 0 0 1 6 0v2.500M10 12.500v1.500',
  cross: 'm5 5 10 10M15 5 5 15',
  fold: 'm5 12 5-5 5 5',
  window: 'M3 4.500h14v11H3Zm0 3h14',
  room: 'M3 4.500h14v9H9l-4 3.500v-3.500H3Zm4 3.500h6m-6 2.500h4',
  passkey:
    'M8 9.500a3 3 0 1 0 0-6a3 3 0 0 0 0 6Zm-5 7c0-3 2.200-4.500 5-4.500 1 0 1.900.200 2.700.600M15 8.500a2.300 2.300 0 0 0-.8 4.460V16.500l.8.800.8-.800-.6-1 .6-1-.6-.800v-.740A2.300 2.300 0 0 0 15 8.500Z',
} as const

/** The name of a drawing. */
export type IconName = keyof typeof paths

/** A drawing beside a text that says the same, hidden from screen readers. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
    <path d={paths[name]} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" />
  </svg>
)
