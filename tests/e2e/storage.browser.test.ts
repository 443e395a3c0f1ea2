import { storageSuite } from './suites/storage.ts'

storageSuite('chrome')
