import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueServing, type CertificatePair } from '@apichain/serving/certificates';
import { parseAllDocuments } from 'yaml';
import type { Cluster } from './cluster.ts';

type Members = { [name: string]: unknown };

/** An object of a manifest. */
export interface Manifest extends Members {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string } & Members;
}

/** The objects of YAML texts. Variables of clusterctl, `${NAME:=default}`, get their defaults, or the values given. */
export function parseManifests(text: string, variables: Readonly<Record<string, string>> = {}): Manifest[] {
  const filled = text.replace(
    /\$\{(\w+)(?::?=([^}]*))?\}/g,
    (_all, name: string, fallback: string | undefined = '') => variables[name] ?? fallback.replace(/^"(.*)"$/, '$1'),
  );
  return parseAllDocuments(filled)
    .map((document) => document.toJS() as unknown)
    .filter((object): object is Manifest => object !== null && typeof object === 'object' && 'kind' in object);
}

/** The objects of all YAML files in a folder. */
export const manifestsIn = (dir: string): Manifest[] =>
  readdirSync(dir)
    .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
    .toSorted()
    .flatMap((file) => parseManifests(readFileSync(join(dir, file), 'utf8')));

/** The objects of a kustomization. */
export const kustomized = async (cluster: Cluster, dir: string): Promise<Manifest[]> =>
  parseManifests(await cluster.admin.output(['kustomize', dir]));

/** Where a Service of the manifests really listens on this machine, and who signs its certificate. */
export interface LocalService {
  readonly port: number;
  readonly caBundle: string | undefined;
}

/**
 * The manifests for controllers that run outside of the cluster: their Deployments and the certificates of cert-manager are left out, and the
 * Services of webhooks lead to ports of this machine.
 */
export function outsideOfCluster(
  manifests: readonly Manifest[],
  services: ReadonlyMap<string, LocalService>,
): Manifest[] {
  return manifests
    .filter(({ apiVersion, kind }) => kind !== 'Deployment' && !apiVersion.startsWith('cert-manager.io/'))
    .map((manifest) => {
      if (manifest.kind === 'Service' && services.has(manifest.metadata.name))
        return { ...manifest, spec: { type: 'ExternalName', externalName: '127.0.0.1' } };
      return redirected(manifest, services) as Manifest;
    });
}

/** A copy in which every `clientConfig` with one of the Services has its port, and its authority if there is one. */
function redirected(value: unknown, services: ReadonlyMap<string, LocalService>): unknown {
  if (Array.isArray(value)) return value.map((item) => redirected(item, services));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as Members).map(([name, member]) => {
      if (name !== 'clientConfig') return [name, redirected(member, services)];
      const config = member as { readonly service?: { readonly name: string } };
      const local = services.get(config.service?.name ?? '');
      if (local === undefined) return [name, member];
      const { port, caBundle } = local;
      return [
        name,
        { ...config, service: { ...config.service, port }, ...(caBundle === undefined ? {} : { caBundle }) },
      ];
    }),
  );
}

/** The account and the arguments of the Deployment in manifests. Throws Error when there is none. */
export function deploymentIn(manifests: readonly Manifest[]): {
  readonly namespace: string;
  readonly account: string;
  readonly args: readonly string[];
} {
  const deployment = manifests.find(({ kind }) => kind === 'Deployment');
  if (deployment === undefined) throw new Error('no Deployment in the manifests');
  const { template } = deployment['spec'] as { readonly template: { readonly spec: PodSpec } };
  const { serviceAccountName, containers } = template.spec;
  return {
    namespace: deployment.metadata.namespace ?? 'default',
    account: serviceAccountName,
    args: containers[0]?.args ?? [],
  };
}

interface PodSpec {
  readonly serviceAccountName: string;
  readonly containers: readonly { readonly args?: readonly string[] }[];
}

/** Writes `tls.crt` and `tls.key` of a Service to a folder of the cluster. Returns the folder. */
export async function servingFolder(
  cluster: Cluster,
  ca: CertificatePair,
  service: string,
  namespace: string,
): Promise<string> {
  const host = `${service}.${namespace}.svc`;
  const pair = await issueServing(ca, host, [host, '127.0.0.1']);
  const dir = join(cluster.dir, service);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'tls.crt'), pair.certificate);
  writeFileSync(join(dir, 'tls.key'), pair.key, { mode: 0o600 });
  return dir;
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
