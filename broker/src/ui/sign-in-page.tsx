import { ownWindow, signInPage } from '../sign-in/own-window.ts'
import { drawPage } from './page.tsx'
import { SignInWindow } from './sign-in-window.tsx'

const flow = signInPage(window, await ownWindow())
drawPage(({ text }) => text.signIn.windowTitle, <SignInWindow flow={flow} />)
