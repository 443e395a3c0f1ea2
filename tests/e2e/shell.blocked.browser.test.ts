import { shellSuite } from './suites/shell.ts'

shellSuite('blocked')
