import { defaultKubeconfig, loadKubeconfig } from '../kubeconfig.ts';
import { inClusterConfig, NotInClusterError, type PodPlaces } from '../in-cluster.ts';
import { httpTransport, type HttpTransportOptions } from '../transport.ts';
import { RestClient } from '../rest-client.ts';

/**
 * The connection options of a program: those of KUBECONFIG if it is set, else those of the pod, else those of ~/.kube/config. Throws Error when none of them
 * is there or complete. https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/client/config
 */
export function getConfig(places: PodPlaces = {}): HttpTransportOptions {
  const { env = process.env } = places;
  if ((env['KUBECONFIG'] ?? '') !== '') return loadKubeconfig(defaultKubeconfig(env));
  try {
    return inClusterConfig(places);
  } catch (error) {
    if (!(error instanceof NotInClusterError)) throw error;
    return loadKubeconfig(defaultKubeconfig(env));
  }
}

/** A client of the cluster of `getConfig`. Whoever makes it closes it. */
export const newClient = (config: HttpTransportOptions = getConfig()): RestClient =>
  new RestClient(httpTransport(config));

/** Aborts with the first SIGINT or SIGTERM. The second one ends the process with code 1. To be called once. */
export function setupSignalHandler(): AbortSignal {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(1);
      stopping.abort();
    });
  return stopping.signal;
}
