export { startChain, type StartChainOptions, type TestChain } from './start-chain.ts';
export type { ClientConfig, TestUser, UserOptions } from './users.ts';
export { Faults, type Fault, type FaultHandle } from './faults.ts';
export type { RecordedRequest } from './recorded-requests.ts';
export type { RequestMatch } from './request-match.ts';
export type { Manifest } from './manifests.ts';
export type { ChainSnapshot } from './snapshots.ts';
