import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCA, issueServing } from '@apichain/serving/certificates';

const group = 'reads.example.com';
const plural = 'records';

/** The collection of the custom resources of the benchmark in a version. `v1` is stored; `v2` is converted by a webhook. */
export const customPath = (version: 'v1' | 'v2', namespace: string): string =>
  `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;

/** A custom resource of version v1 with so many members. */
export const customObject = (name: string, members: number): object => ({
  apiVersion: `${group}/v1`,
  kind: 'Record',
  metadata: { name },
  spec: {
    title: name,
    values: Object.fromEntries(Array.from({ length: members }, (_, i) => [`key-${i}`, `value${i}`])),
  },
});

/** The webhook that converts custom resources: versions differ in their names only. */
export interface ConversionWebhook {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  stop(): void;
}

interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly object[] };
}

/** Serves the webhook on any free port of 127.0.0.1. */
export async function startConversionWebhook(): Promise<ConversionWebhook> {
  const ca = await createCA('reads');
  const { certificate, key } = await issueServing(ca, 'localhost', ['localhost', '127.0.0.1']);
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const { uid, desiredAPIVersion, objects } = (JSON.parse(Buffer.concat(chunks).toString()) as Review).request;
      const convertedObjects = objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }));
      const answer = { uid, convertedObjects, result: { status: 'Success' } };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: answer }),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`,
    authority: ca.certificate,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The definition, with columns of its own and two versions. */
export function customDefinition({ url, authority }: ConversionWebhook): object {
  const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    additionalPrinterColumns: [
      { name: 'Title', type: 'string', jsonPath: '.spec.title' },
      { name: 'First', type: 'string', jsonPath: '.spec.values.key-0' },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: any } } },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: 'record', kind: 'Record' },
      versions: [version('v1', true), version('v2', false)],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url, caBundle: Buffer.from(authority).toString('base64') },
        },
      },
    },
  };
}
