export { buildPages, type BuildPagesOptions } from './build-pages.ts'
