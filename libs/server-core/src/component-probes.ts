import { request } from 'node:https';
import { connectionReason } from '@apichain/admission';
import { type ComponentProbe, UnhealthyComponent } from '@apichain/kinds-registry';

const probeTimeoutMs = 20_000;

/** Probes a component of this host at its default port. Its certificate is not verified. */
export function localProbe(port: number): ComponentProbe {
  const url = `https://127.0.0.1:${port}/healthz`;
  return () =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        reject(new UnhealthyComponent(`Get "${url}": ${connectionReason(error)}`));
      };
      const signal = AbortSignal.timeout(probeTimeoutMs);
      const call = request(url, { agent: false, rejectUnauthorized: false, signal }, (response) => {
        const { statusCode = 0 } = response;
        response.resume();
        if (statusCode >= 200 && statusCode < 400) resolve();
        else reject(new UnhealthyComponent(`HTTP probe failed with statuscode: ${statusCode}`));
      });
      call.on('error', fail).end();
    });
}

/** The components of `componentstatuses`, by name. Source: pkg/registry/core/rest/storage_core.go of kubernetes 1.36. */
export const componentProbes = (etcd: readonly ComponentProbe[]): Readonly<Record<string, ComponentProbe>> => ({
  'controller-manager': localProbe(10257),
  scheduler: localProbe(10259),
  ...Object.fromEntries(etcd.map((probe, index) => [`etcd-${index}`, probe])),
});
