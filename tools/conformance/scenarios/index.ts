import type { Scenario } from '../scenario.ts';
import { admissionNodeScenarios } from './admission-nodes.ts';
import { admissionPluginScenarios } from './admission-plugins.ts';
import { admissionPolicyScenarios } from './admission-policies.ts';
import { admissionWebhookScenarios } from './admission-webhooks.ts';
import { applyScenarios } from './apply.ts';
import { coreWriteScenarios } from './core-writes.ts';
import { customResourceScenarios } from './custom-resources.ts';
import { crdScenarios } from './definitions.ts';
import { discoveryScenarios } from './discovery.ts';
import { errorScenarios } from './errors.ts';
import { kindScenarios } from './kinds.ts';
import { patchScenarios } from './patches.ts';
import { rbacScenarios } from './rbac.ts';
import { readScenarios } from './reads.ts';
import { watchScenarios } from './watches.ts';
import { writeScenarios } from './writes.ts';

/** Every scenario, in the order of the areas. */
export const allScenarios: readonly Scenario[] = [
  ...discoveryScenarios,
  ...readScenarios,
  ...watchScenarios,
  ...writeScenarios,
  ...coreWriteScenarios,
  ...patchScenarios,
  ...applyScenarios,
  ...crdScenarios,
  ...customResourceScenarios,
  ...admissionPolicyScenarios,
  ...admissionWebhookScenarios,
  ...admissionPluginScenarios,
  ...admissionNodeScenarios,
  ...rbacScenarios,
  ...errorScenarios,
  ...kindScenarios,
];
