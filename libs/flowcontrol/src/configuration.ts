import { isRecord, record, records, text, type KubeObject, texts, type Plain } from '@apichain/meta';

/*
 * FlowSchemas and PriorityLevelConfigurations in the form that the limiter uses:
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */

export interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
  /** The namespace of a service account. */
  readonly namespace: string;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly clusterScope: boolean;
  readonly namespaces: readonly string[];
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface PolicyRule {
  readonly subjects: readonly Subject[];
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
}

export interface FlowSchema {
  readonly name: string;
  readonly uid: string;
  /** The name of its priority level. */
  readonly priorityLevel: string;
  readonly matchingPrecedence: number;
  /** What distinguishes the flows of the schema; undefined = all requests are one flow. */
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined;
  readonly rules: readonly PolicyRule[];
}

export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

export interface PriorityLevelConfiguration {
  readonly name: string;
  readonly uid: string;
  readonly exempt: boolean;
  readonly nominalConcurrencyShares: number;
  readonly lendablePercent: number;
  /** Undefined = no limit on borrowing. */
  readonly borrowingLimitPercent: number | undefined;
  /** Undefined = a request without a free seat is rejected. */
  readonly queuing: Queuing | undefined;
}

const integer = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const subjectMembers = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' } as const;

function subjectOf(value: Plain): Subject | undefined {
  const { kind } = value;
  if (kind !== 'User' && kind !== 'Group' && kind !== 'ServiceAccount') return undefined;
  const named = record(value[subjectMembers[kind]]);
  return { kind, name: text(named.name), namespace: text(named.namespace) };
}

const resourceRuleOf = (rule: Plain): ResourceRule => ({
  verbs: texts(rule.verbs),
  apiGroups: texts(rule.apiGroups),
  resources: texts(rule.resources),
  clusterScope: rule.clusterScope === true,
  namespaces: texts(rule.namespaces),
});

const nonResourceRuleOf = (rule: Plain): NonResourceRule => ({
  verbs: texts(rule.verbs),
  nonResourceURLs: texts(rule.nonResourceURLs),
});

/** Reads the object. Malformed parts match nothing. */
export function flowSchemaOf(object: KubeObject): FlowSchema {
  const spec = record(object.spec);
  const { type } = record(spec.distinguisherMethod);
  return {
    name: object.metadata.name ?? '',
    uid: object.metadata.uid ?? '',
    priorityLevel: text(record(spec.priorityLevelConfiguration).name),
    matchingPrecedence: integer(spec.matchingPrecedence) ?? 1000,
    distinguisher: type === 'ByUser' || type === 'ByNamespace' ? type : undefined,
    rules: records(spec.rules).map((rule) => ({
      subjects: records(rule.subjects)
        .map(subjectOf)
        .filter((subject) => subject !== undefined),
      resourceRules: records(rule.resourceRules).map(resourceRuleOf),
      nonResourceRules: records(rule.nonResourceRules).map(nonResourceRuleOf),
    })),
  };
}

/** Undefined = the object is inconsistent and must not be used, as in `queueSetCompleterForPL` of k8s.io/apiserver. */
export function priorityLevelOf(object: KubeObject): PriorityLevelConfiguration | undefined {
  const spec = record(object.spec);
  const name = object.metadata.name ?? '';
  const exempt = spec.type === 'Exempt';
  if (exempt !== (name === 'exempt')) return undefined;
  if (exempt ? isRecord(spec.limited) : !isRecord(spec.limited)) return undefined;
  const settings = record(exempt ? spec.exempt : spec.limited);
  const response = record(settings.limitResponse);
  const queuing = queuingOf(response.queuing);
  if (!exempt && (response.type === 'Queue') !== (queuing !== undefined)) return undefined;
  return {
    name,
    uid: object.metadata.uid ?? '',
    exempt,
    nominalConcurrencyShares: integer(settings.nominalConcurrencyShares) ?? (exempt ? 0 : 30),
    lendablePercent: integer(settings.lendablePercent) ?? 0,
    borrowingLimitPercent: integer(settings.borrowingLimitPercent),
    queuing: exempt ? undefined : queuing,
  };
}

function queuingOf(value: unknown): Queuing | undefined {
  if (!isRecord(value)) return undefined;
  const queues = integer(value.queues) ?? 64;
  const handSize = integer(value.handSize) ?? 8;
  if (queues < 1 || handSize < 1 || handSize > queues) return undefined;
  return { queues, handSize, queueLengthLimit: integer(value.queueLengthLimit) ?? 50 };
}

const everything = (subjects: readonly Subject[]): PolicyRule => ({
  subjects,
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
});
const group = (name: string): Subject => ({ kind: 'Group', name, namespace: '' });

/** The objects that apply while none are known, so that every request has a priority level. */
export const mandatory = {
  flowSchemas: {
    exempt: {
      name: 'exempt',
      uid: '',
      priorityLevel: 'exempt',
      matchingPrecedence: 1,
      distinguisher: undefined,
      rules: [everything([group('system:masters')])],
    },
    catchAll: {
      name: 'catch-all',
      uid: '',
      priorityLevel: 'catch-all',
      matchingPrecedence: 10_000,
      distinguisher: 'ByUser',
      rules: [everything([group('system:unauthenticated'), group('system:authenticated')])],
    },
  },
  priorityLevels: {
    exempt: {
      name: 'exempt',
      uid: '',
      exempt: true,
      nominalConcurrencyShares: 0,
      lendablePercent: 0,
      borrowingLimitPercent: undefined,
      queuing: undefined,
    },
    catchAll: {
      name: 'catch-all',
      uid: '',
      exempt: false,
      nominalConcurrencyShares: 5,
      lendablePercent: 0,
      borrowingLimitPercent: undefined,
      queuing: undefined,
    },
  },
} as const satisfies {
  flowSchemas: Record<string, FlowSchema>;
  priorityLevels: Record<string, PriorityLevelConfiguration>;
};
