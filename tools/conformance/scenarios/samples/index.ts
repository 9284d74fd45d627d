import { access } from './access.ts';
import { admission } from './admission.ts';
import { core } from './core.ts';
import { devices } from './devices.ts';
import { networkAndStorage } from './network-and-storage.ts';
import { apps } from './workloads.ts';
import type { SampleKind } from './sample-kind.ts';

/** Every built-in kind of 1.36 that is stored and enabled by default, except CustomResourceDefinition, which has a separate area. */
export const sampleKinds: readonly SampleKind[] = [
  ...core,
  ...apps,
  ...networkAndStorage,
  ...access,
  ...admission,
  ...devices,
];
