import { forbidden } from '../forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { isPod, podSpec } from '../pod-fields.ts';

const hostname = 'kubernetes.io/hostname';

/**
 * Rejects pods with a required anti-affinity over a larger topology than the node.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#limitpodhardantiaffinitytopology
 */
export class LimitPodHardAntiAffinityTopology implements AdmissionPlugin {
  readonly name = 'LimitPodHardAntiAffinityTopology';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);

  validate(attributes: AdmissionAttributes): void {
    if (!isPod(attributes)) return;
    const { podAntiAffinity } = podSpec(attributes.object).affinity ?? {};
    const terms = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const wider = terms.find(({ topologyKey }) => topologyKey !== hostname);
    if (wider === undefined) return;
    throw forbidden(
      attributes,
      `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wider.topologyKey ?? ''} but only key ${hostname} is allowed`,
    );
  }
}
