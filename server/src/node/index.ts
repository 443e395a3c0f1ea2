export { readNodeConfig } from './config.ts'
export { mintNodeSecret } from './secret.ts'
export { startNode, type NodeSeams, type RunningNode } from './start.ts'
