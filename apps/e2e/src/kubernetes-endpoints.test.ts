import assert from 'node:assert/strict';
import { get } from 'node:https';
import { startChain, type Chain } from './chain.ts';
import { call } from './http.ts';

const inDefault = (path: string) => `${path}/namespaces/default`;

interface Published {
  readonly address: string;
  readonly port: number;
}

/** What the Endpoints, the EndpointSlice and the Service `kubernetes` say, once the first two agree. */
async function published(chain: Chain): Promise<Published & { readonly targetPort: number }> {
  const read = async <T>(path: string) => (await call(chain, 'GET', `${path}/kubernetes`)).json<T>();
  const deadline = Date.now() + 20_000;
  for (;;) {
    assert.ok(Date.now() < deadline, 'no endpoints are published');
    const { subsets } = await read<{ subsets?: { addresses: { ip: string }[]; ports: { port: number }[] }[] }>(
      `${inDefault('/api/v1')}/endpoints`,
    );
    const slice = await read<{ endpoints?: { addresses: string[] }[]; ports?: { port: number }[] }>(
      `${inDefault('/apis/discovery.k8s.io/v1')}/endpointslices`,
    );
    // They are written once the chain is ready.
    if (subsets === undefined || slice.endpoints === undefined) continue;
    const addresses = subsets.flatMap((subset) => subset.addresses.map(({ ip }) => ip));
    assert.equal(addresses.length, 1);
    assert.deepEqual(
      slice.endpoints.flatMap((endpoint) => endpoint.addresses),
      addresses,
    );
    const [{ ports: [{ port = 0 } = {}] = [] } = {}] = subsets;
    assert.equal(slice.ports?.[0]?.port, port);
    const service = await read<{ spec: { ports: { targetPort: number }[] } }>(`${inDefault('/api/v1')}/services`);
    return { address: addresses[0] ?? '', port, targetPort: service.spec.ports[0]?.targetPort ?? 0 };
  }
}

/** The status of `/readyz` at the published address, with a verified certificate. */
const readyAt = ({ address, port }: Published, { admin }: Chain): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get({ host: address, port, path: '/readyz', ...admin, servername: 'kubernetes.default.svc' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).once('error', reject);
  });

describe('the endpoints of the service kubernetes', function () {
  this.timeout(480_000);

  for (const [form, flags] of [
    ['three services', []],
    ['one process', ['--in-process']],
  ] as const) {
    it(`are the front of the chain, which a client reaches: ${form}`, async () => {
      const chain = await startChain({ args: ['--bind-address=0.0.0.0', ...flags] });
      try {
        const found = await published(chain);
        const port = Number(new URL(chain.url).port);
        assert.deepEqual([found.port, found.targetPort], [port, port]);
        assert.equal(await readyAt(found, chain), 200);
      } finally {
        await chain.stop();
      }
    });

    it(`are what the flags advertise: ${form}`, async () => {
      const chain = await startChain({ args: ['--advertise-address=192.0.2.7', '--advertise-port=8443', ...flags] });
      try {
        assert.deepEqual(await published(chain), { address: '192.0.2.7', port: 8443, targetPort: 8443 });
      } finally {
        await chain.stop();
      }
    });
  }
});
