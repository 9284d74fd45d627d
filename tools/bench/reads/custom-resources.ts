import { json } from 'node:stream/consumers';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { definitionOf, versionOf } from '../../servers/definition.ts';
import { secureServer, type StandIn } from '../../servers/stand-ins.ts';

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
export interface ConversionWebhook extends StandIn {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
}

interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly object[] };
}

/** Serves the webhook on any free port of 127.0.0.1. */
export async function startConversionWebhook(): Promise<ConversionWebhook> {
  const ca = await createCA('reads');
  const { certificate, key } = await issueServing(ca, 'localhost', ['localhost', '127.0.0.1']);
  const server = await secureServer({ cert: certificate, key }, (request, response) => {
    void json(request).then((review) => {
      const { uid, desiredAPIVersion, objects } = (review as Review).request;
      const convertedObjects = objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }));
      const converted = { uid, convertedObjects, result: { status: 'Success' } };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: converted }),
      );
    });
  });
  return { ...server, url: `https://127.0.0.1:${server.port}/convert`, authority: ca.certificate };
}

/** The definition, with columns of its own and two versions. */
export function customDefinition({ url, authority }: ConversionWebhook): object {
  const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const additionalPrinterColumns = [
    { name: 'Title', type: 'string', jsonPath: '.spec.title' },
    { name: 'First', type: 'string', jsonPath: '.spec.values.key-0' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ];
  const version = (name: string, storage: boolean) =>
    versionOf(name, { spec: any }, { storage, additionalPrinterColumns });
  const clientConfig = { url, caBundle: Buffer.from(authority).toString('base64') };
  return definitionOf(group, 'Record', [version('v1', true), version('v2', false)], {
    conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } },
  });
}
