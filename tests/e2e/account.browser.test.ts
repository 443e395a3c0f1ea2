import { accountSuite } from './suites/account.ts'

accountSuite('chrome')
