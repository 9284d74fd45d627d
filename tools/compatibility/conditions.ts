import { createCA, issueServing } from '@apichain/serving/certificates';
import { freePort } from '@apichain/meta';
import type { Platform } from './platform.ts';
import type { Recording } from '../comparison/recording.ts';
import { availableCondition, createApiService, createLocalService, pathOfApiService } from './extension-servers.ts';
import { waitFor } from '../servers/process.ts';
import { Neighbours } from './neighbours.ts';
import { blackHole, hangsUp, plainServer, secureServer, type StandIn } from '../servers/stand-ins.ts';

const namespace = 'faults';
const services = `/api/v1/namespaces/${namespace}/services`;
const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;

/** An extension server that fails in one way. It gives the port, and the TLS settings of its APIService where these differ. */
interface Fault {
  readonly name: string;
  readonly port: number;
  readonly tls?: { readonly caBundle?: string; readonly insecureSkipTLSVerify?: boolean };
  /** The Service; the default is one that leads to this machine. */
  readonly service?: unknown;
}

/** Registers extension servers that fail in all ways, and compares their conditions and what their clients get. */
export async function observeFaults(platform: Platform, record: Recording): Promise<void> {
  await platform.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const neighbours = new Neighbours(platform, ['/api/v1/namespaces/default', '/apis', '/readyz']);
  const { faults, close } = await prepareFaults(platform);
  try {
    await observeServices(platform, record);
    for (const fault of faults) {
      await createLocalService(platform, namespace, fault.name);
      const service = { namespace, name: fault.name, port: fault.port };
      await createApiService(platform, nameOf(fault.name), service, fault.tls ?? { caBundle: platform.caBundle });
    }
    await Promise.all(faults.map(({ name }) => observe(platform, record, name)));
    let started = performance.now();
    record.text('faults: api-resources', await platform.kubectl(['api-resources', '-o', 'name']));
    record.figure('faults: kubectl api-resources in ms', performance.now() - started);
    started = performance.now();
    record.text('faults: get', await platform.kubectl(['get', 'namespaces', 'default', '-o', 'name']));
    record.figure('faults: kubectl get of another group in ms', performance.now() - started);
    for (const { name } of faults) await platform.delete(pathOfApiService(nameOf(name)));
    await neighbours.stop(record, 'faults');
  } finally {
    await close();
  }
}

const groupOf = (name: string) => `${name}.faults.example.com`;
const nameOf = (name: string) => `v1.${groupOf(name)}`;

async function observe(platform: Platform, record: Recording, name: string): Promise<void> {
  const decided = async () => {
    const reason = (await availableCondition(platform, nameOf(name)))?.reason;
    return reason !== undefined;
  };
  await waitFor(decided, 30_000, () => `${name} has no condition behind ${platform.name}`);
  const { status, reason, message } = (await availableCondition(platform, nameOf(name))) ?? {};
  record.text(`fault ${name}: condition`, `${status} ${reason}: ${message}`);
  const response = await platform.get(`/apis/${groupOf(name)}/v1`);
  record.text(`fault ${name}: discovery of its version`, `${response.status} ${JSON.stringify(response.body)}`);
  const things = await platform.get(`/apis/${groupOf(name)}/v1/things`);
  record.text(`fault ${name}: its resource`, `${things.status} ${JSON.stringify(things.body)}`);
  const group = await platform.get(`/apis/${groupOf(name)}`);
  record.text(`fault ${name}: discovery of its group`, `${group.status} ${JSON.stringify(group.body)}`);
}

/** Services that are missing, have no such port, have no endpoints: the server behind them is never asked. */
async function observeServices(platform: Platform, record: Recording): Promise<void> {
  const port = [{ name: 'https', port: 443 }];
  const slice = (name: string, fields: unknown) =>
    platform.create(slices, {
      metadata: { name, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ...Object(fields),
    });
  const ready = { endpoints: [{ addresses: ['192.0.2.1'] }], ports: [{ name: 'https', port: 6443 }] };
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    ['no-service', undefined, undefined],
    ['no-port', { ports: [{ name: 'https', port: 8443 }] }, undefined],
    ['no-slices', { ports: port }, undefined],
    ['no-endpoints', { ports: port }, { ...ready, endpoints: [] }],
    [
      'not-ready',
      { ports: port },
      { ...ready, endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: false } }] },
    ],
    ['other-port-name', { ports: port }, { ...ready, ports: [{ name: 'http', port: 6443 }] }],
    ['headless', { ports: port, clusterIP: 'None' }, ready],
    ['unknown-host', { type: 'ExternalName', externalName: 'nowhere.invalid' }, undefined],
  ];
  for (const [name, spec, fields] of cases) {
    if (spec !== undefined) await platform.create(services, { metadata: { name }, spec });
    if (fields !== undefined) await slice(name, fields);
    await createApiService(platform, nameOf(name), { namespace, name, port: 443 });
    await observe(platform, record, name);
  }
  await platform.create(services, { metadata: { name: 'no-service' }, spec: { ports: port } });
  const isNoticed = async () =>
    (await availableCondition(platform, nameOf('no-service')))?.reason === 'EndpointsNotFound';
  record.figure('faults: ms until a new Service is noticed', await waitFor(isNoticed, 60_000, () => 'not noticed'));
  for (const [name] of cases) await platform.delete(pathOfApiService(nameOf(name)));
}

async function prepareFaults(platform: Platform): Promise<{ faults: Fault[]; close: () => Promise<void> }> {
  const standIns: StandIn[] = [];
  const faults: Fault[] = [];
  const add = (name: string, standIn: StandIn, tls?: Fault['tls']) => {
    standIns.push(standIn);
    faults.push({ name, port: standIn.port, ...(tls === undefined ? {} : { tls }) });
  };
  const tlsOf = async (...hosts: string[]) => {
    const { certificate, key } = await issueServing(platform.ca, 'server', hosts);
    return { cert: certificate, key };
  };
  const serverWith = async (name: string, code: number, hosts = [`${name}.${namespace}.svc`]) =>
    secureServer(await tlsOf(...hosts), (_request, response) => {
      response.writeHead(code, { 'content-type': 'text/plain', location: 'https://elsewhere.example.com/' });
      response.end('text');
    });
  for (const code of [401, 403, 404, 500, 503, 301]) add(`status-${code}`, await serverWith(`status-${code}`, code));
  add('other-name', await serverWith('other-name', 404, ['elsewhere.svc']));
  add('no-name', await serverWith('no-name', 404, []));
  const stranger = await createCA('stranger');
  const otherBundle = Buffer.from(stranger.certificate).toString('base64');
  add('other-bundle', await serverWith('other-bundle', 404), { caBundle: otherBundle });
  add('no-bundle', await serverWith('no-bundle', 404), {});
  add('insecure', await serverWith('insecure', 404, []), { insecureSkipTLSVerify: true });
  add('plain-http', await plainServer((_request, response) => response.end('text')));
  add('black-hole', await blackHole());
  add('hangs-up', await hangsUp());
  add('silent', await secureServer(await tlsOf(`silent.${namespace}.svc`), () => undefined));
  add(
    'not-json',
    await secureServer(await tlsOf(`not-json.${namespace}.svc`), (_request, response) => response.end('text')),
  );
  faults.push({ name: 'refused', port: await freePort() });
  return { faults, close: async () => void (await Promise.all(standIns.map((standIn) => standIn.close()))) };
}
