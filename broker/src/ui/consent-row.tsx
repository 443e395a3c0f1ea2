import type { PermissionDescriptor } from '@deputy/contract/permissions'
import type { ConsentRow, Subject } from '../consent/rows.ts'
import type { Catalogue } from '../strings/catalogue.ts'
import { Icon, type IconName } from './icons.tsx'
import { useSpeech } from './speech-context.ts'

/** What can be said to a row of a card with several. */
export type Choice = 'no' | 'once' | 'session'

interface Words {
  readonly title: string
  readonly text: string
}

/** The person's words for a permission; a row added to the registry brings its own. */
const permissionWords = ({ scope, title, description }: PermissionDescriptor, text: Catalogue): Words =>
  (text.consent.permissions as Readonly<Record<string, Words>>)[scope] ?? { title, text: description }

/** What a subject is called. */
export function titleOf(subject: Subject, permissions: readonly PermissionDescriptor[], text: Catalogue): Words {
  if ('category' in subject) return text.consent.categories[subject.category]
  if ('group' in subject) return text.network.consent
  const descriptor = permissions.find(({ scope }) => scope === subject.key)
  return descriptor === undefined ? { title: subject.key, text: '' } : permissionWords(descriptor, text)
}

const shownHosts = 3

/** Hosts, the first few open and the rest a press away. */
export const Hosts = ({ hosts }: { readonly hosts: readonly string[] }) => {
  const { text, formats } = useSpeech()
  const names = (list: readonly string[]) =>
    list.map(host => (
      <li key={host}>
        <bdi dir="ltr">{host}</bdi>
      </li>
    ))
  const rest = hosts.slice(shownHosts)
  return (
    <div class="hosts">
      <span>{text.consent.on}</span>
      <ul>{names(hosts.slice(0, shownHosts))}</ul>
      {rest.length > 0 && (
        <details>
          <summary>{text.consent.moreHosts(rest.length, formats)}</summary>
          <ul>{names(rest)}</ul>
        </details>
      )}
    </div>
  )
}

/** One request of the card; with a choice where the card has several. */
export const ConsentRowView = ({
  row,
  name,
  choice,
  choose,
}: {
  readonly row: ConsentRow
  readonly name: string
  readonly choice?: Choice
  readonly choose?: (choice: Choice) => void
}) => {
  const { text } = useSpeech()
  const words = titleOf(row.subject, row.permissions, text)
  const icon: IconName = 'category' in row.subject ? row.subject.category : 'group' in row.subject ? 'network' : 'evaluation'
  const options: readonly (readonly [Choice, string])[] = [
    ['no', text.consent.no],
    ...('key' in row.subject ? ([['once', text.consent.once]] as const) : []),
    ['session', 'key' in row.subject ? text.consent.untilRemoved : text.consent.allow],
  ]
  return (
    <li class={row.severity >= 3 ? 'row strong' : 'row'}>
      <Icon name={icon} />
      <div class="row-text">
        <h2>{words.title}</h2>
        <p>{words.text}</p>
        <Hosts hosts={row.hosts} />
        {'group' in row.subject && <p class="soft">{text.network.anyHost}</p>}
        {row.permissions.length > 1 && (
          <details>
            <summary>{text.consent.includes}</summary>
            <ul class="includes">
              {row.permissions.map(permission => (
                <li key={permission.scope}>{permissionWords(permission, text).title}</li>
              ))}
            </ul>
          </details>
        )}
        {row.severity >= 3 && (
          <p class="row-warning">
            <Icon name="warning" />
            {row.severity === 4 ? text.consent.critical : text.consent.warning}
          </p>
        )}
        {choice !== undefined && choose !== undefined && (
          <fieldset class="choices">
            <legend class="unseen">{text.consent.choiceFor(words.title)}</legend>
            {options.map(([value, label]) => (
              <label key={value}>
                <input type="radio" name={name} value={value} checked={choice === value} onChange={() => choose(value)} />
                <span>{label}</span>
              </label>
            ))}
          </fieldset>
        )}
      </div>
    </li>
  )
}
