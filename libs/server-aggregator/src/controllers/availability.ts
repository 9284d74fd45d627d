import { goQuote } from '@apichain/go-text';
import { errorMessage } from '@apichain/meta';
import type { ApiService, ApiServiceCondition } from '../apiservice/api-service.ts';
import { localCondition } from '../apiservice/api-service.ts';
import type { EndpointSliceParts, ServiceLookup } from '../routing/service-resolver.ts';

type Condition = Omit<ApiServiceCondition, 'lastTransitionTime'>;

const unavailable = (status: 'False' | 'Unknown', reason: string, message: string): Condition => ({
  type: 'Available',
  status,
  reason,
  message,
});

/** The reason when the server does not respond to its discovery request. */
export const failedDiscoveryCheck = 'FailedDiscoveryCheck';

export const passedCondition: Condition = {
  type: 'Available',
  status: 'True',
  reason: 'Passed',
  message: 'all checks passed',
};

/** Requests the discovery document of the extension server. Resolves for a 2xx response; otherwise throws an Error with the text to report. */
type DiscoveryProbe = (service: ApiService) => Promise<void>;

/**
 * The Available condition of an APIService, after kube-aggregator's availability controllers. Local APIServices are always available. A remote one
 * needs its Service, the port, a ready endpoint and a response to the discovery probe. Without `lookup`, on a chain without Service objects, the
 * probe decides.
 */
export async function availability(
  apiService: ApiService,
  lookup: ServiceLookup | undefined,
  probe: DiscoveryProbe,
): Promise<Condition> {
  const reference = apiService.spec.service;
  if (reference === undefined) return localCondition;
  const missing = lookup === undefined ? undefined : missingPart(reference, lookup);
  if (missing !== undefined) return missing;
  try {
    await probe(apiService);
    return passedCondition;
  } catch (error) {
    return unavailable('False', failedDiscoveryCheck, errorMessage(error));
  }
}

/** The condition of an APIService without its Service, the port of it or a ready endpoint; undefined when all of them exist. */
function missingPart(
  reference: NonNullable<ApiService['spec']['service']>,
  lookup: ServiceLookup,
): Condition | undefined {
  const namespace = reference.namespace ?? '';
  const name = reference.name ?? '';
  const port = reference.port ?? 443;
  const service = lookup.service(namespace, name);
  if (service === undefined)
    return unavailable('False', 'ServiceNotFound', `service/${name} in ${goQuote(namespace)} is not present`);
  if ((service.spec?.type ?? 'ClusterIP') === 'ClusterIP') {
    const servicePort = service.spec?.ports?.find((candidate) => candidate.port === port);
    if (servicePort === undefined)
      return unavailable(
        'False',
        'ServicePortError',
        `service/${name} in ${goQuote(namespace)} is not listening on port ${port}`,
      );
    return missingEndpoints(lookup.endpointSlices(namespace, name), namespace, name, servicePort.name ?? '');
  }
  return undefined;
}

function missingEndpoints(
  slices: readonly EndpointSliceParts[],
  namespace: string,
  name: string,
  portName: string,
): Condition | undefined {
  if (slices.length === 0)
    return unavailable(
      'False',
      'EndpointsNotFound',
      `cannot find endpointslices for service/${name} in ${goQuote(namespace)}`,
    );
  const hasAddress = slices.some(
    (slice) =>
      (slice.ports ?? []).some((port) => (port.name ?? '') === portName) &&
      (slice.endpoints ?? []).some(
        (endpoint) => endpoint.conditions?.ready !== false && (endpoint.addresses ?? []).length > 0,
      ),
  );
  if (hasAddress) return undefined;
  return unavailable(
    'False',
    'MissingEndpoints',
    `endpointslices for service/${name} in ${goQuote(namespace)} have no addresses with port name ${goQuote(portName)}`,
  );
}
