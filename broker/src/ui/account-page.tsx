import './account.css'
import { accountFiles } from '../account-files/files.ts'
import { ownWindow } from '../sign-in/own-window.ts'
import { AccountWindow } from './account-window.tsx'
import { drawPage } from './page.tsx'

const { sessions, keys, site } = await ownWindow()
drawPage(({ text }) => text.account.windowTitle, <AccountWindow sessions={sessions} keys={keys} files={accountFiles({ sessions, site })} />)
