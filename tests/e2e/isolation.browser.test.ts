import { isolationSuite } from './suites/isolation.ts'

isolationSuite('chrome')
