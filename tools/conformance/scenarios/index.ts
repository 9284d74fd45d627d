import type { Scenario } from '../scenario.ts';
import { admissionScenarios } from './admission.ts';
import { applyScenarios } from './apply.ts';
import { crdScenarios, customResourceScenarios } from './custom.ts';
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
  ...patchScenarios,
  ...applyScenarios,
  ...crdScenarios,
  ...customResourceScenarios,
  ...admissionScenarios,
  ...rbacScenarios,
  ...errorScenarios,
  ...kindScenarios,
];
