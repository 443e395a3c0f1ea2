import { accountSuite } from './suites/account.ts'

accountSuite('blocked')
