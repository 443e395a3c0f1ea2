export { run, type Surroundings } from './run.ts'
