import type {
  FlowSchema,
  FlowSchemaSpec,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
} from '@apichain/api/flowcontrol/v1';
import { field, semanticEqual } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import type { Out } from '../common/rules.ts';

const everything = [
  {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  },
];
const groups = (...names: string[]) => names.map((name) => ({ kind: 'Group', group: { name } }));

/**
 * The mandatory flow schemas of the API server:
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#mandatory-configuration-objects
 */
const schemas: Readonly<Record<string, FlowSchemaSpec>> = {
  exempt: {
    priorityLevelConfiguration: { name: 'exempt' },
    matchingPrecedence: 1,
    rules: everything.map((rule) => ({ subjects: groups('system:masters'), ...rule })),
  },
  'catch-all': {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: 10000,
    distinguisherMethod: { type: 'ByUser' },
    rules: everything.map((rule) => ({ subjects: groups('system:unauthenticated', 'system:authenticated'), ...rule })),
  },
};
/** The `exempt` member can be changed freely. */
const exemptLevel: PriorityLevelConfigurationSpec = { type: 'Exempt' };
const catchAllLevel: PriorityLevelConfigurationSpec = {
  type: 'Limited',
  limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
};

/** The specs of the two mandatory flow schemas cannot change. */
export function mandatorySchemaErrors(out: Out, schema: FlowSchema): void {
  const { name = '' } = schema.metadata;
  if (!Object.hasOwn(schemas, name) || semanticEqual(schema.spec, schemas[name])) return;
  const shown = goValue('flowcontrol.apiserver.k8s.io.v1.FlowSchemaSpec', schema.spec);
  out.push(field.invalid('spec', shown, `spec of '${name}' must equal the fixed value`));
}

/** The specs of the two mandatory priority levels cannot change, except for the numbers in `exempt`. */
export function mandatoryLevelErrors(out: Out, level: PriorityLevelConfiguration): void {
  const shown = () => goValue('flowcontrol.apiserver.k8s.io.v1.PriorityLevelConfigurationSpec', level.spec);
  const { exempt: _, ...rest } = level.spec ?? {};
  if (level.metadata.name === 'exempt' && !semanticEqual(rest, exemptLevel)) {
    const detail = "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value";
    out.push(field.invalid('spec', shown(), detail));
  }
  if (level.metadata.name === 'catch-all' && !semanticEqual(level.spec, catchAllLevel)) {
    out.push(field.invalid('spec', shown(), "spec of 'catch-all' must equal the fixed value"));
  }
}
