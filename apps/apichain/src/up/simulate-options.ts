import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { kubeletFlags, StartupError } from '@apichain/chain/setup';
import type { ApiSet } from '@apichain/apiserver-options/api-sets';

/** What `--simulate` starts beside the services: nodes that run pods without containers, and a scheduler. */
export interface SimulateOptions {
  readonly nodes: number;
  /** Absolute paths of files with stages. */
  readonly stages: readonly string[];
  /** Whether Pods are scheduled. Otherwise another scheduler does it. */
  readonly scheduler: boolean;
}

/** How long the start of a chain waits for the registration of its nodes. */
export const registrationTimeoutMs = 120_000;

/** What the start of a chain does while the nodes are registered. */
export const registrationStage = ({ nodes }: SimulateOptions): string =>
  nodes === 1 ? 'registering a node' : `registering ${nodes} nodes`;

/** What is wrong when a chain is ready before its nodes. `logs` is the directory of the logs. */
export const lateNodes = (logs: string): string =>
  `some nodes are not registered after ${registrationTimeoutMs / 1_000} s: see ${logs}`;

/** The number of nodes of `--simulate` without a value. */
export const defaultNodes = '3';
const mostNodes = 10_000;

/** The flags of a simulation as they were given; undefined = not given. */
interface SimulateFlags {
  readonly simulate: string | undefined;
  readonly stages: readonly string[];
  readonly scheduler: boolean;
}

/** The flags with which the servers reach the kubelets of simulated nodes. */
export const flagsForKubelets = (
  { simulation }: { readonly simulation?: SimulateOptions },
  pki: string,
): readonly string[] => (simulation === undefined ? [] : kubeletFlags(pki));

/** Undefined without `--simulate`. Throws StartupError for a bad value, and for a flag that has no effect without it. */
export function parseSimulation(
  { simulate = 'false', stages, scheduler }: SimulateFlags,
  apis: ApiSet,
): SimulateOptions | undefined {
  if (simulate === 'false') {
    if (stages.length > 0) throw new StartupError('--stages needs --simulate');
    if (!scheduler) throw new StartupError('--scheduler needs --simulate: without it there is no scheduler');
    return undefined;
  }
  const nodes = simulate === 'true' ? Number(defaultNodes) : Number(simulate);
  if (simulate === '' || !Number.isInteger(nodes) || nodes < 0 || nodes > mostNodes)
    throw new StartupError(`--simulate: "${simulate}" is not a number of nodes (0-${mostNodes})`);
  if (!apis.serves({ group: '', resource: 'pods' }))
    throw new StartupError(`--simulate needs pods and nodes, which --apis=${apis.name} does not have`);
  const missing = stages.find((file) => !existsSync(file));
  if (missing !== undefined) throw new StartupError(`--stages: there is no file ${missing}`);
  return { nodes, stages: stages.map((file) => resolve(file)), scheduler };
}
