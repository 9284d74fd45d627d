import { serveEndpoints, type BindAddress, type EndpointServer } from '@apichain/client';

/**
 * What the controllers of a process do: `starting` before the API server has responded, `standby` while another replica leads, `syncing` while the
 * caches of a leader are filled.
 */
export type ControllersState = 'starting' | 'standby' | 'syncing' | 'ready';

/**
 * Serves /healthz and /livez, which return 200 as long as this process runs its events, and /readyz, which returns 200 when the controllers work or
 * wait for the leader, as the health probes of controller-runtime do. Rejects with Node's error when the address cannot be listened on.
 */
export function serveHealth(address: BindAddress, state: () => ControllersState): Promise<EndpointServer> {
  const alive = () => ({ code: 200, text: 'ok' });
  return serveEndpoints(address, {
    '/healthz': alive,
    '/livez': alive,
    '/readyz': () =>
      ['standby', 'ready'].includes(state()) ? alive() : { code: 500, text: `the controllers are ${state()}` },
  });
}
