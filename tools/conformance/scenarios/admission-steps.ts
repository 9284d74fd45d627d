import type { Step } from '../scenario.ts';
import { configMaps, post } from './steps.ts';

/** Shared by the scenarios of policies and of webhooks. */
export const registration = '/apis/admissionregistration.k8s.io/v1';
/** Selects the namespace of the scenario. */
export const here = { matchLabels: { 'kubernetes.io/metadata.name': '{{ns}}' } };
/** Rules for a resource of the core group. */
export const rules = (resource: string, ...operations: string[]) => [
  { operations, apiGroups: [''], apiVersions: ['v1'], resources: [resource] },
];

/** Repeats a write until a newly registered policy or webhook takes effect. */
export const until = (
  name: string,
  body: unknown,
  reached: Step['until'],
  query: Record<string, string> = { dryRun: 'All' },
): Step => ({
  ...post(name, configMaps, body, { query }),
  ...(reached === undefined ? {} : { until: reached }),
});

/** The condition that a request is refused. */
export const rejected = { status: 403 };
