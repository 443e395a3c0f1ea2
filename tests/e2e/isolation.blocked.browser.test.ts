import { isolationSuite } from './suites/isolation.ts'

isolationSuite('blocked')
