import type { UserInfo } from '@apichain/authn';
import { BoundedCache } from '@apichain/meta';
import type { RequestInfo } from '@apichain/request';
import { mandatory, type FlowSchema, type NonResourceRule, type ResourceRule, type Subject } from './configuration.ts';
import type { QueuedFlow } from './fair-queue.ts';
import type { PriorityLevel } from './priority-level.ts';
import type { PriorityLevels } from './priority-levels.ts';
import { deal, hashFlow } from './shuffle-sharding.ts';

/** The requests of one FlowSchema with one distinguisher, which are treated alike. Created once, not per request. */
export interface Flow extends QueuedFlow {
  readonly level: PriorityLevel;
}

/** The limits of the caches: users by name and groups, and kinds of request of all users. The groups of a user may be many. */
const users = { maxEntries: 2_000, maxCharacters: 8 << 20 };
const kinds = { maxEntries: 20_000, maxCharacters: 4 << 20 };

interface Candidate<Rule> {
  readonly placed: PlacedSchema;
  readonly rules: readonly Rule[];
}

/** A FlowSchema whose priority level exists. */
interface PlacedSchema {
  readonly schema: FlowSchema;
  readonly level: PriorityLevel;
}

/** The FlowSchemas that can match one user's requests. Schemas whose subjects do not match the user are left out. */
interface UserFlows {
  readonly resources: readonly Candidate<ResourceRule>[];
  readonly paths: readonly Candidate<NonResourceRule>[];
  /** Set when the first candidate matches every resource request of the user and ignores the namespace. No lookup is needed then. */
  readonly everyResource: Flow | undefined;
  readonly everyPath: Flow | undefined;
  /** Tells the user apart in the cache of kinds of request. */
  readonly id: number;
}

/**
 * Finds a request's FlowSchema, the first match by matchingPrecedence, and its flow. An instance belongs to one state of the configuration; it
 * only caches results, per user and kind of request.
 */
export class Classifier {
  readonly #schemas: readonly PlacedSchema[];
  readonly #fallback: PlacedSchema;
  readonly #ofUser = new WeakMap<UserInfo, UserFlows>();
  readonly #ofIdentity = new BoundedCache<UserFlows>(users);
  readonly #known = new BoundedCache<Flow>(kinds);
  #lastId = 0;

  constructor(schemas: readonly FlowSchema[], levels: PriorityLevels) {
    const place = (schema: FlowSchema): PlacedSchema | undefined => {
      const level = levels.get(schema.priorityLevel);
      return level === undefined ? undefined : { schema, level };
    };
    const placed = schemas
      .map(place)
      .filter((schema) => schema !== undefined)
      .sort(byPrecedence);
    const { exempt, catchAll } = mandatory.flowSchemas;
    const find = (name: string) => placed.find(({ schema }) => schema.name === name);
    const imagined = place(exempt);
    if (find(exempt.name) === undefined && imagined !== undefined) placed.unshift(imagined);
    const last = find(catchAll.name) ?? place(catchAll);
    if (last === undefined) throw new Error('the catch-all priority level is missing');
    if (!placed.includes(last)) placed.push(last);
    this.#schemas = placed;
    this.#fallback = last;
  }

  classify(user: UserInfo, info: RequestInfo): Flow {
    const flows = this.#ofUser.get(user) ?? this.#flowsOf(user);
    const always = info.isResourceRequest ? flows.everyResource : flows.everyPath;
    if (always !== undefined) return always;
    const key = info.isResourceRequest
      ? `${flows.id} ${info.verb} ${info.apiGroup} ${info.resource}/${info.subresource} ${info.namespace}`
      : `${flows.id} ${info.verb}:${info.path}`;
    let flow = this.#known.get(key);
    if (flow === undefined) {
      flow = this.#flow(this.#match(flows, info), user, info);
      this.#known.set(key, flow);
    }
    return flow;
  }

  #match(flows: UserFlows, info: RequestInfo): PlacedSchema {
    const found = info.isResourceRequest
      ? flows.resources.find(({ rules }) => rules.some((rule) => matchesResource(info, rule)))
      : flows.paths.find(({ rules }) => rules.some((rule) => matchesPath(info, rule)));
    return found?.placed ?? this.#fallback;
  }

  /** A user object is the same while its credentials are cached. A new object is looked up by name and groups. */
  #flowsOf(user: UserInfo): UserFlows {
    const identity = JSON.stringify([user.name, user.groups]);
    let flows = this.#ofIdentity.get(identity);
    if (flows === undefined) {
      flows = this.#makeFlows(user);
      this.#ofIdentity.set(identity, flows);
    }
    this.#ofUser.set(user, flows);
    return flows;
  }

  #makeFlows(user: UserInfo): UserFlows {
    const resources: Candidate<ResourceRule>[] = [];
    const paths: Candidate<NonResourceRule>[] = [];
    const groups = new Set(user.groups);
    for (const placed of this.#schemas) {
      const ours = placed.schema.rules.filter(({ subjects }) => subjects.some((s) => matchesSubject(user, groups, s)));
      const resourceRules = ours.flatMap((rule) => rule.resourceRules);
      const pathRules = ours.flatMap((rule) => rule.nonResourceRules);
      if (resourceRules.length > 0) resources.push({ placed, rules: resourceRules });
      if (pathRules.length > 0) paths.push({ placed, rules: pathRules });
    }
    const always = (placed: PlacedSchema | undefined): Flow | undefined =>
      placed === undefined || (placed.schema.distinguisher === 'ByNamespace' && hasQueues(placed))
        ? undefined
        : this.#flow(placed, user, undefined);
    const [resource] = resources;
    const [path] = paths;
    return {
      resources,
      paths,
      everyResource: always(resource?.rules.some(isEveryResource) === true ? resource.placed : undefined),
      everyPath: always(path?.rules.some(isEveryPath) === true ? path.placed : undefined),
      id: ++this.#lastId,
    };
  }

  #flow(placed: PlacedSchema, user: UserInfo, info: RequestInfo | undefined): Flow {
    const { schema, level } = placed;
    const { queuing } = level.configuration;
    let distinguisher = '';
    if (hasQueues(placed)) {
      if (schema.distinguisher === 'ByUser') distinguisher = user.name;
      else if (schema.distinguisher === 'ByNamespace') distinguisher = info?.namespace ?? '';
    }
    const hand =
      queuing === undefined ? [] : deal(hashFlow(schema.name, distinguisher), queuing.queues, queuing.handSize);
    return { schema, level, distinguisher, hand, counts: level.countsOf(schema.name) };
  }
}

/** With one queue or none, flows are not distinguished. */
const hasQueues = ({ level }: PlacedSchema): boolean => (level.configuration.queuing?.queues ?? 0) > 1;

function byPrecedence({ schema: a }: PlacedSchema, { schema: b }: PlacedSchema): number {
  return a.matchingPrecedence - b.matchingPrecedence || (a.name < b.name ? -1 : 1);
}

const serviceAccountPrefix = 'system:serviceaccount:';

/** `groups` are those of the user. A user may have, and a rule may list, tens of thousands of groups. */
function matchesSubject(user: UserInfo, groups: ReadonlySet<string>, { kind, name, namespace }: Subject): boolean {
  if (kind === 'User') return name === '*' || name === user.name;
  if (kind === 'Group') return name === '*' || groups.has(name);
  if (name !== '*') return user.name === `${serviceAccountPrefix}${namespace}:${name}`;
  return user.name.startsWith(`${serviceAccountPrefix}${namespace}:`);
}

/** The wildcard counts only when it is the only entry, which validation ensures. */
const includes = (list: readonly string[], wanted: string): boolean =>
  (list.length === 1 && list[0] === '*') || list.includes(wanted);

function matchesResource(info: RequestInfo, rule: ResourceRule): boolean {
  if (!includes(rule.verbs, info.verb) || !includes(rule.apiGroups, info.apiGroup)) return false;
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  if (!includes(rule.resources, resource)) return false;
  return info.namespace === '' ? rule.clusterScope : includes(rule.namespaces, info.namespace);
}

function matchesPath(info: RequestInfo, rule: NonResourceRule): boolean {
  return includes(rule.verbs, info.verb) && rule.nonResourceURLs.some((pattern) => matchesUrl(info.path, pattern));
}

/** `/a/*` matches everything below `/a/`. `/a` matches that too, and the path itself. */
function matchesUrl(path: string, pattern: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  const prefix = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern;
  return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}

const all = (list: readonly string[]): boolean => list.length === 1 && list[0] === '*';

/** Whether the rule matches every resource request. */
const isEveryResource = (rule: ResourceRule): boolean =>
  rule.clusterScope && all(rule.verbs) && all(rule.apiGroups) && all(rule.resources) && all(rule.namespaces);

const isEveryPath = (rule: NonResourceRule): boolean => all(rule.verbs) && rule.nonResourceURLs.includes('*');
