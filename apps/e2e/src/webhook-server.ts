import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCA, issueServing } from '@apichain/serving/certificates';

export type ReviewRequest = Record<string, unknown> & { uid: string };
/** Returns the fields of `response` except the uid. A string is sent as the whole body; undefined sends no response. */
type ReviewHandler = (request: ReviewRequest) => Record<string, unknown> | string | undefined;

/** The webhooks of a test, by path, served over HTTPS. */
export interface TestWebhooks {
  readonly caBundle: string;
  /** All reviews, in order of arrival. */
  readonly seen: { readonly path: string; readonly request: ReviewRequest }[];
  readonly handlers: Map<string, ReviewHandler>;
  /** The clientConfig for the webhook at a path. */
  clientConfig(path: string): { url: string; caBundle: string };
  close(): void;
}

/** A JSON patch in the form that an AdmissionReview contains. */
export const patchResponse = (operations: readonly unknown[]) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

export async function startWebhooks(): Promise<TestWebhooks> {
  const ca = await createCA('webhook-ca');
  const serving = await issueServing(ca, 'hooks', ['localhost', '127.0.0.1']);
  const caBundle = Buffer.from(ca.certificate).toString('base64');
  const handlers = new Map<string, ReviewHandler>();
  const seen: TestWebhooks['seen'] = [];
  const server: Server = createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
        apiVersion: string;
        kind: string;
        request: ReviewRequest;
      };
      const path = (request.url ?? '').split('?')[0] ?? '';
      seen.push({ path, request: review.request });
      const fields = handlers.get(path)?.(review.request);
      if (fields === undefined) return;
      const { apiVersion, kind } = review;
      response.writeHead(200, { 'content-type': 'application/json' });
      if (typeof fields === 'string') response.end(fields);
      else response.end(JSON.stringify({ apiVersion, kind, response: { uid: review.request.uid, ...fields } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    caBundle,
    seen,
    handlers,
    clientConfig: (path) => ({ url: `https://localhost:${port}${path}`, caBundle }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
