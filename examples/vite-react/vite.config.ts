import { defineConfig } from 'vite'

// `source` resolves the workspace's packages to their TypeScript; an app outside this repository needs neither line.
// eslint-disable-next-line import/no-default-export -- Vite reads the default export
export default defineConfig({ resolve: { conditions: ['source', 'module', 'browser', 'development|production'] }, oxc: { jsx: { runtime: 'automatic' } } })
