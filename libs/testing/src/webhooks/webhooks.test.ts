import assert from 'node:assert/strict';
import https from 'node:https';
import { createCA, issueServing } from '@apichain/serving/certificates';
import { serveWebhooks } from './serve.ts';
import { withWebhooksAt } from './rewrite.ts';

interface Reply {
  readonly status: number;
  readonly text: string;
}

function post(port: number, path: string, ca: string, body: object): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = https.request({ host: '127.0.0.1', port, path, ca, method: 'POST', agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}

const admission = (name: string) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u1', operation: 'CREATE', name, object: { metadata: { name } }, oldObject: null },
});
const conversion = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: {
    uid: 'u2',
    desiredAPIVersion: 'example.com/v2',
    objects: [{ apiVersion: 'example.com/v1', kind: 'Thing' }],
  },
};

describe('serveWebhooks', () => {
  it('converts results of handlers to reviews', async () => {
    const ca = await createCA('hooks-ca');
    const { certificate: cert, key } = await issueServing(ca, 'hooks', ['127.0.0.1']);
    const server = await serveWebhooks({
      cert,
      key,
      handlers: {
        '/check': ({ request }) => request.name !== 'bad',
        '/label': async () => ({ allowed: true, patch: [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }] }),
        '/fail': () => {
          throw new Error('no idea');
        },
        '/raw': ({ request }) => ({ response: { uid: request.uid, allowed: true, warnings: ['careful'] } }),
      },
      converters: {
        '/convert': ({ request }) => {
          const objects = request.objects.map((object) => ({ ...object, apiVersion: request.desiredAPIVersion }));
          if (request.desiredAPIVersion === 'example.com/v2') return objects;
          throw new Error('no such version');
        },
      },
    });
    const reply = async (path: string, body: object) => {
      const { status, text } = await post(server.port, path, ca.certificate, body);
      return status === 200 ? (JSON.parse(text) as { response: Record<string, unknown> }).response : { status, text };
    };
    try {
      assert.deepEqual(await reply('/check', admission('good')), { uid: 'u1', allowed: true });
      assert.deepEqual(await reply('/check?timeout=5s', admission('bad')), { uid: 'u1', allowed: false });
      const patch = Buffer.from('[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]').toString('base64');
      assert.deepEqual(await reply('/label', admission('a')), {
        uid: 'u1',
        allowed: true,
        patchType: 'JSONPatch',
        patch,
      });
      assert.deepEqual(await reply('/fail', admission('a')), { status: 500, text: 'no idea' });
      assert.deepEqual(await reply('/raw', admission('a')), { uid: 'u1', allowed: true, warnings: ['careful'] });
      assert.deepEqual(await reply('/toString', admission('a')), { status: 404, text: 'no webhook at /toString' });
      assert.deepEqual(await reply('/convert', conversion), {
        uid: 'u2',
        convertedObjects: [{ apiVersion: 'example.com/v2', kind: 'Thing' }],
        result: { status: 'Success' },
      });
      const elsewhere = { ...conversion, request: { ...conversion.request, desiredAPIVersion: 'example.com/v3' } };
      assert.deepEqual((await reply('/convert', elsewhere))['result'], {
        status: 'Failed',
        message: 'no such version',
      });
      assert.deepEqual(await reply('/convert', admission('a')), {
        status: 400,
        text: '/convert takes no AdmissionReview',
      });
    } finally {
      await server.close();
    }
  });
});

describe('withWebhooksAt', () => {
  const address = { host: '127.0.0.1', port: 9443, ca: 'PEM' };
  const caBundle = Buffer.from('PEM').toString('base64');
  const redirected = (object: { apiVersion: string; kind: string }) =>
    withWebhooksAt(address, [{ metadata: { name: 'a' }, ...object }])[0] as Record<string, unknown>;

  it('replaces the service of a webhook configuration by a local URL', () => {
    for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
      const webhooks = [
        {
          name: 'a.example.com',
          sideEffects: 'None',
          clientConfig: { service: { namespace: 'x', name: 'y', path: '/p' } },
        },
        {
          name: 'b.example.com',
          clientConfig: { service: { namespace: 'x', name: 'y', port: 8443 }, caBundle: 'Cg==' },
        },
        { name: 'c.example.com', clientConfig: { url: 'https://elsewhere/', caBundle: 'Cg==' } },
      ];
      assert.deepEqual(
        redirected({ apiVersion: 'admissionregistration.k8s.io/v1', kind, ...{ webhooks } })['webhooks'],
        [
          { name: 'a.example.com', sideEffects: 'None', clientConfig: { url: 'https://127.0.0.1:9443/p', caBundle } },
          { name: 'b.example.com', clientConfig: { url: 'https://127.0.0.1:9443/', caBundle } },
          webhooks[2],
        ],
      );
    }
  });

  it('replaces the service of a conversion webhook by a local URL', () => {
    const crd = (conversion?: object) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: { group: 'example.com', ...(conversion === undefined ? {} : { conversion }) },
    });
    const spec = redirected(
      crd({ strategy: 'Webhook', webhook: { clientConfig: { service: { namespace: 'x', name: 'y' } } } }),
    )['spec'];
    assert.deepEqual(spec, {
      group: 'example.com',
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1', 'v1beta1'],
          clientConfig: { url: 'https://127.0.0.1:9443/convert', caBundle },
        },
      },
    });
    assert.deepEqual(redirected(crd({ strategy: 'None' }))['spec'], crd({ strategy: 'None' }).spec);
    assert.deepEqual(redirected(crd())['spec'], crd().spec);
  });
});
