import { demos } from './demos.ts'

/** Every demo, each on a page of its own. */
export function HomePage() {
  return (
    <>
      <p class="welcome">
        Each demo is a page without a backend: what it knows of you it asks your broker for, and what it keeps or shares is sealed before it leaves this
        browser. The code that runs stands beside each.
      </p>
      <ul class="demos">
        {demos.map(({ path, title, lead, needs }) => (
          <li key={path}>
            <h2>
              <a href={path}>{title}</a>
            </h2>
            <p>{lead}</p>
            <p class="needs">{needs}</p>
          </li>
        ))}
      </ul>
    </>
  )
}
