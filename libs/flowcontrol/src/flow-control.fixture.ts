import assert from 'node:assert/strict';
import type { UserInfo } from '@apichain/authn';
import { splitUrl } from '@apichain/request';
import type { KubeObject } from '@apichain/meta';
import { parseRequestInfo, type RequestInfo } from '@apichain/request';
import type { PriorityLevelConfiguration } from './configuration.ts';
import { FlowRequest } from './fair-queue.ts';
import type { Flow } from './classifier.ts';
import { PriorityLevel } from './priority-level.ts';

/** A user with these groups. */
export const user = (name: string, ...groups: string[]): UserInfo => ({ name, uid: '', groups, extra: {} });

/** The request info of a method and a URL. */
export const info = (method: string, url: string): RequestInfo => {
  const { path, query } = splitUrl(url) ?? assert.fail(url);
  return parseRequestInfo(method, path, query);
};

/** A clock that only moves when a test advances it. Milliseconds. */
export class TestClock {
  now = 0;
  readonly read = (): number => this.now;
}

/** A priority level with eight queues; `more` replaces parts of it. */
export const levelConfiguration = (more: Partial<PriorityLevelConfiguration> = {}): PriorityLevelConfiguration => ({
  name: 'level',
  uid: '',
  exempt: false,
  nominalConcurrencyShares: 30,
  lendablePercent: 0,
  borrowingLimitPercent: undefined,
  queuing: { queues: 8, handSize: 1, queueLengthLimit: 1000 },
  ...more,
});

/** A level with that many seats, which it does not lend. */
export function levelOf(
  seats: number,
  clock: TestClock,
  more: Partial<PriorityLevelConfiguration> = {},
): PriorityLevel {
  const level = new PriorityLevel(levelConfiguration(more), clock.read);
  level.queues.configure(level.configuration, seats, seats);
  return level;
}

/** A flow whose requests use the queues of `hand`. */
export const flowOf = (level: PriorityLevel, distinguisher: string, hand: readonly number[]): Flow => ({
  schema: {
    name: 'schema',
    uid: '',
    priorityLevel: level.name,
    matchingPrecedence: 1,
    distinguisher: undefined,
    rules: [],
  },
  level,
  distinguisher,
  hand,
  counts: level.countsOf('schema'),
});

/** Starts a request of the flow. `onDispatch` is called when a waiting request gets its seats. */
export function begin(flow: Flow, seats = 1, onDispatch: () => void = () => undefined): FlowRequest {
  const request = new FlowRequest(flow, seats);
  if (flow.level.queues.start(request) === 'waiting') {
    request.waiting = {
      arrivedAt: new Date(0),
      description: { userName: flow.distinguisher, requestInfo: info('GET', '/') },
      onDispatch,
    };
  }
  return request;
}

/** A FlowSchema that sends requests of `rules` to a priority level. */
export const flowSchema = (name: string, level: string, matchingPrecedence: number, rules: unknown[], more = {}) =>
  ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name, uid: `uid-of-${name}` },
    spec: { priorityLevelConfiguration: { name: level }, matchingPrecedence, rules, ...more },
  }) satisfies KubeObject;

/** A priority level of type Limited that rejects requests without a free seat; `limited` is added to its spec. */
export const limitedLevel = (name: string, nominalConcurrencyShares: number, limited = {}) =>
  ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name, uid: `uid-of-${name}` },
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares, limitResponse: { type: 'Reject' }, ...limited },
    },
  }) satisfies KubeObject;

/** The part of a limited priority level that queues requests. */
export const queuing = (queues: number, handSize: number, queueLengthLimit: number) => ({
  limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit } },
});

/** A rule of a FlowSchema for all resource requests. */
export const everyResource = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
};

/** A rule of a FlowSchema for all non-resource requests. */
export const everyPath = { verbs: ['*'], nonResourceURLs: ['*'] };
/** The subjects of a rule: the members of a group. */
export const toGroup = (name: string) => [{ kind: 'Group', group: { name } }];
/** The subjects of a rule: one user. */
export const toUser = (name: string) => [{ kind: 'User', user: { name } }];
