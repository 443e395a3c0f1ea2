import './account.css'
import { ownWindow } from '../sign-in/own-window.ts'
import { AccountWindow } from './account-window.tsx'
import { drawPage } from './page.tsx'

const { sessions, keys } = await ownWindow()
drawPage(({ text }) => text.account.windowTitle, <AccountWindow sessions={sessions} keys={keys} />)
