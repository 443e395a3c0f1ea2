import { storageRefusalsSuite } from './suites/storage-refusals.ts'

storageRefusalsSuite('blocked')
