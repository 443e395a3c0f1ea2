/** The account's picture, or the first letter of its name. The name stands beside it. */
export const Avatar = ({ name, image, large }: { readonly name: string; readonly image: string | null; readonly large?: boolean }) => {
  const size = large === true ? 'avatar large' : 'avatar'
  if (image !== null) return <img class={size} src={image} alt="" />
  const [letter = '?'] = name.trim()
  return (
    <span class={size} aria-hidden="true">
      {letter.toLocaleUpperCase()}
    </span>
  )
}
