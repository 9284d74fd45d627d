import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import type { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '@apichain/api/core/v1';
import type { KubeObject } from '@apichain/meta';
import { requestClient } from '@apichain/serving/certificates';
import type { Cluster } from './cluster.ts';

const container = { name: 'main', image: 'main' };

/** Sessions with quotas and certificates, by name. The quotas are in a namespace of their own, so that other sessions are not counted. */
export const policySessions: Readonly<Record<string, (cluster: Cluster) => Promise<void>>> = {
  async quota(cluster) {
    const bounded = cluster.in('bounded');
    await cluster.createNamespace('bounded');
    const createQuota = (name: string, spec: ResourceQuota['spec']) =>
      bounded.create<ResourceQuota>('resourcequotas', { kind: 'ResourceQuota', metadata: { name }, spec: spec ?? {} });
    await createQuota('objects', {
      hard: {
        ...{ pods: '9', services: '5', 'services.nodeports': '2', configmaps: '9', persistentvolumeclaims: '4' },
        ...{ 'count/deployments.apps': '3', 'count/jobs.batch': '2', 'requests.storage': '20Gi' },
      },
    });
    await createQuota('resources', { hard: { 'requests.cpu': '4', 'limits.memory': '4Gi', 'example.com/x': '1' } });
    await createQuota('best-effort', { hard: { pods: '3' }, scopes: ['BestEffort'] });
    await createQuota('ending', { hard: { pods: '3' }, scopes: ['Terminating'] });
    await createQuota('important', {
      hard: { pods: '3' },
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
    });
    await createQuota('empty', { hard: {} });
    await cluster.until('the usage of all quotas', async () => {
      const quotas = await bounded.list<ResourceQuota>('resourcequotas');
      const limited = quotas.filter(({ spec }) => Object.keys(spec?.hard ?? {}).length > 0);
      return limited.every(({ status }) => Object.keys(status?.used ?? {}).length > 0);
    });
    const createPod = (name: string, spec: Partial<NonNullable<Pod['spec']>>) =>
      bounded.create<Pod>('pods', { kind: 'Pod', metadata: { name }, spec: { containers: [container], ...spec } });
    const resources = { requests: { cpu: '500m' }, limits: { cpu: '1', memory: '1Gi' } };
    const large = { containers: [{ ...container, resources }] };
    for (const name of ['one', 'two', 'three']) await createPod(name, large);
    await createPod('ends', { ...large, activeDeadlineSeconds: 600 });
    await bounded.create<Service>('services', {
      ...{ kind: 'Service', metadata: { name: 'open' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
    });
    for (const name of ['a', 'b'])
      await bounded.create<PersistentVolumeClaim>('persistentvolumeclaims', {
        kind: 'PersistentVolumeClaim',
        metadata: { name },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } }, storageClassName: 'x' },
      });
    await cluster.pause(2);
    await bounded.delete('pods', 'one');
    const [, second] = await bounded.list<Pod>('pods');
    if (second !== undefined) await bounded.end(second, 0);
    await bounded.delete('persistentvolumeclaims', 'a');
    await bounded.patch('resourcequotas', 'objects', { spec: { hard: { pods: '12', secrets: '4' } } });
    await bounded.patch('services', 'open', { spec: { type: 'ClusterIP' } });
    await cluster.pause(6);
  },
  async certificates(cluster) {
    const nodeUsages = ['digital signature', 'client auth'];
    const add = async (name: string, signer: string, usages: readonly string[], of: readonly [string, string[]]) => {
      const { request } = await requestClient(...of);
      await cluster.create<CertificateSigningRequest>('certificatesigningrequests', {
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec: { request: Buffer.from(request).toString('base64'), signerName: signer, usages: [...usages] },
      });
    };
    const decide = (name: string, type: string) =>
      cluster.patch(
        'certificatesigningrequests',
        name,
        { status: { conditions: [{ type, status: 'True', reason: 'Test', message: 'by a test' }] } },
        'approval',
      );
    const node = ['system:node:n', ['system:nodes']] as const;
    const kubelet = 'kubernetes.io/kube-apiserver-client-kubelet';
    await add('kubelet', kubelet, nodeUsages, [node[0], [...node[1]]]);
    await add('kubelet-usages', kubelet, ['client auth'], [node[0], [...node[1]]]);
    await add('kubelet-group', kubelet, nodeUsages, [node[0], ['others']]);
    await add('kubelet-name', kubelet, nodeUsages, ['n', ['system:nodes']]);
    await add(
      'serving',
      'kubernetes.io/kubelet-serving',
      ['digital signature', 'server auth'],
      [node[0], [...node[1]]],
    );
    await add('client', 'kubernetes.io/kube-apiserver-client', ['client auth'], ['jane', ['devs']]);
    await add('client-usages', 'kubernetes.io/kube-apiserver-client', ['server auth'], ['jane', ['devs']]);
    await add('denied', 'kubernetes.io/kube-apiserver-client', ['client auth'], ['jane', ['devs']]);
    await add('foreign', 'example.com/signer', ['client auth'], ['jane', ['devs']]);
    await cluster.pause(3);
    const approved = [
      'kubelet-usages',
      'kubelet-group',
      'kubelet-name',
      'serving',
      'client',
      'client-usages',
      'foreign',
    ];
    for (const name of approved) await decide(name, 'Approved');
    await decide('denied', 'Denied');
    await cluster.pause(4);
  },
};

/** A request for a certificate with what its certificate says in the place of the certificate, which no two signers make alike. */
export function withCertificateFacts(object: KubeObject): KubeObject {
  if (object.kind !== 'CertificateSigningRequest') return object;
  const { spec, status, ...rest } = object as CertificateSigningRequest;
  const { certificate, ...others } = status ?? {};
  const facts = certificate === undefined ? undefined : factsOf(Buffer.from(certificate, 'base64').toString());
  return { ...rest, spec: { ...spec, request: 'REQUEST' }, status: { ...others, facts } };
}

function factsOf(pem: string): object {
  const { subject, issuer, ca, keyUsage, subjectAltName, validToDate, validFromDate } = new X509Certificate(pem);
  const hours = Math.round((validToDate.getTime() - validFromDate.getTime()) / 3_600_000);
  return { subject, issuer, ca, keyUsage, subjectAltName, hours, blocks: pem.split('BEGIN').length - 1 };
}
